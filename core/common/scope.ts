import type { Scope } from '../ports/common.ts'

/** Whether a scope sees what belongs to this organization. */
export function isInScope(scope: Scope, organizationUuid: string): boolean {
  return scope === 'all' || scope.includes(organizationUuid)
}

/** The same for keys that see the same organizations: what one customer takes of the server is counted together, whichever keys it comes with. */
export const scopeText = (scope: Scope): string => (scope === 'all' ? 'all' : scope.toSorted().join(' '))
