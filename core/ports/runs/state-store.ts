import type { Actor } from '../../domain/audit.ts'
import type { StateReader } from '../../state/memory-state.ts'
import type { StateEntry, StateSize } from '../../state/state.ts'
import type { ListPage, ListRequest, OrganizationScope } from '../common.ts'

/** What playbooks keep between runs; runs change it through `JournalStore.recordState`. */
export interface StateStore extends StateReader {
  /** The stored states of a playbook, by name and organization. */
  list(scope: OrganizationScope, playbook: string): Promise<readonly StoredState[]>
  /** The entries of a state, the newest first. */
  entries(
    scope: OrganizationScope,
    playbook: string,
    name: string,
    page: ListRequest,
  ): Promise<ListPage<StoredStateEntry>>
  /** Deletes a state, or one entry of it. Throws NotFoundError `state_not_found`. */
  reset(place: StatePlace, by: Actor): Promise<void>
}

export interface StatePlace {
  readonly organizationUuid: string
  readonly playbook: string
  readonly name: string
  /** Default: all entries. */
  readonly key?: string | undefined
}

/** Values of sensitive states are absent. */
export interface StoredState extends StateSize {
  readonly organizationUuid: string
  readonly organizationCode: string
  readonly name: string
  /** Epoch milliseconds. */
  readonly changedAt: number
  /** Of a value or a counter that has not expired. */
  readonly value?: unknown
}

export interface StoredStateEntry extends StateEntry {
  readonly organizationCode: string
  readonly key: string
  readonly isSensitive: boolean
}
