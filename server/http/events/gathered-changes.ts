import type { Change, ChangeKind } from '../../../core/domain/change.ts'

/** What has changed of a kind in an organization: these, or so many that none is named. */
export type Changed = ReadonlySet<string | null> | 'many'

/** By organization (null: of none), by kind. */
export type ChangesOfOrganizations = ReadonlyMap<string | null, ReadonlyMap<ChangeKind, Changed>>

/** Named of one kind; of more it is only said that there are many, so that a storm takes no more than this. */
export const maxNamed = 5

/** Gathers changes until somebody takes them: what changes twice counts once, and its memory does not grow with what happens. */
export class GatheredChanges {
  #byOrganization = new Map<string | null, Map<ChangeKind, Set<string | null> | 'many'>>()

  get isEmpty(): boolean {
    return this.#byOrganization.size === 0
  }

  add({ kind, organizationUuid, id }: Change): void {
    const ofOrganization = this.#byOrganization.get(organizationUuid) ?? new Map()
    this.#byOrganization.set(organizationUuid, ofOrganization)
    const before = ofOrganization.get(kind)
    // In a storm nobody asks any more which one it was.
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
