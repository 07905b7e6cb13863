import type { OrganizationScope } from '../../../core/ports/common.ts'
import { scopeText } from '../../../core/common/scope.ts'

export interface WaitLimits {
  /**
   * Maximum number of requests that wait for an investigation. Each occupies a connection, so this and the
   * streams stay below the limit of connections.
   */
  readonly maxWaits: number
  /**
   * Maximum per customer (keys with the same organizations), so that one customer cannot occupy all places.
   */
  readonly maxWaitsOfOrganizations: number
}

/**
 * Reserves a place for a waiting request and returns the function that releases it. Undefined: no place is
 * free, so answer immediately.
 */
export type TakeWaitPlace = (scope: OrganizationScope) => (() => void) | undefined

/** Places for requests that wait for an investigation. */
export function createWaitPlaces({ maxWaits, maxWaitsOfOrganizations }: WaitLimits): TakeWaitPlace {
  const taken = new Map<string, number>()
  let all = 0

  function change(party: string, by: 1 | -1): void {
    const left = (taken.get(party) ?? 0) + by
    if (left === 0) taken.delete(party)
    else taken.set(party, left)
    all += by
  }

  return (scope) => {
    const party = scopeText(scope)
    if (all >= maxWaits || (taken.get(party) ?? 0) >= maxWaitsOfOrganizations) return undefined
    change(party, 1)
    return () => change(party, -1)
  }
}
