import type { OrganizationScope } from '../../../core/ports/common.ts'
import { scopeText } from '../../../core/common/scope.ts'

export interface WaitLimits {
  /** Requests that wait for an investigation, at once: each holds its connection for as long. Fewer than connections, together with streams. */
  readonly maxWaits: number
  /** Of all keys that see the same organizations: however many alerts one customer has investigated, others can wait as well. */
  readonly maxWaitsOfOrganizations: number
}

/** Lets a request wait, and gives what is to be called when it does so no longer. Undefined: there is no place; it is answered at once. */
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
