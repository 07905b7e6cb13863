import type { OrganizationScope } from '../ports/common.ts'

/** Whether a scope includes this organization. */
export function isInScope(scope: OrganizationScope, organizationUuid: string): boolean {
  return scope === 'all' || scope.includes(organizationUuid)
}

/** Equal for keys with the same organizations, so that limits count all keys of a customer together. */
export const scopeText = (scope: OrganizationScope): string =>
  scope === 'all' ? 'all' : scope.toSorted().join(' ')
