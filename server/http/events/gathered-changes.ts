import type { Change, ChangeKind } from '../../../core/domain/change.ts'

/** Ids of one kind in one organization, or `many`. */
export type Changed = ReadonlySet<string | null> | 'many'

/** By organization (null: none), then by kind. */
export type ChangesOfOrganizations = ReadonlyMap<string | null, ReadonlyMap<ChangeKind, Changed>>

/** Ids kept per kind; beyond this only `many` is kept, which bounds memory in a storm. */
export const maxNamed = 5

/** Gathers changes until they are taken; repeated changes count once. */
export class GatheredChanges {
  #byOrganization = new Map<string | null, Map<ChangeKind, Set<string | null> | 'many'>>()

  get isEmpty(): boolean {
    return this.#byOrganization.size === 0
  }

  add({ kind, organizationUuid, id }: Change): void {
    const ofOrganization = this.#byOrganization.get(organizationUuid) ?? new Map()
    this.#byOrganization.set(organizationUuid, ofOrganization)
    const before = ofOrganization.get(kind)
    // Ids no longer matter when everything changed.
    if (before === 'many') return
    const named = (before ?? new Set<string | null>()).add(id() ?? null)
    ofOrganization.set(kind, named.size > maxNamed ? 'many' : named)
  }

  take(): ChangesOfOrganizations {
    const taken = this.#byOrganization
    this.#byOrganization = new Map()
    return taken
  }
}
