import type { Scope } from './ports.ts'

/** Whether a scope sees what belongs to this organization. */
export function isInScope(scope: Scope, organizationUuid: string): boolean {
  return scope === 'all' || scope.includes(organizationUuid)
}
