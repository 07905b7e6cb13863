import type { Actor, Author } from '../domain/audit.ts'
import type { Page, PageRequest, Scope } from './common.ts'

/** A playbook as it is kept: identity is the content hash; a name points to its newest version. */
export interface StoredPlaybook {
  readonly name: string
  /** SHA-256 of the source, hex. */
  readonly hash: string
  readonly source: string
  /** `file` from the playbooks folder, `made` by an investigation. */
  readonly origin: 'file' | 'made'
  /** For whose alerts it was made, and who may see it; null for one that was written, which all organizations share. */
  readonly organizationUuid: string | null
  /** Whether it is the newest of its name. */
  readonly isNewest: boolean
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** When it became the newest of its name, the last time, and through whom, as people know them; null for what was kept before that was. */
  readonly putInForce: { readonly at: number; readonly by: Author } | null
}

/** A version that is to be kept. */
export type NewPlaybook = Pick<StoredPlaybook, 'name' | 'hash' | 'source' | 'origin' | 'organizationUuid'>

/** A playbook as lists show it. */
export type ListedPlaybook = Omit<StoredPlaybook, 'source'>

export interface PlaybookFilter {
  readonly origin?: StoredPlaybook['origin'] | undefined
  /** Stands in its name; letter case of ASCII does not matter. */
  readonly text?: string | undefined
}

/** A scope sees what was made for its organizations, and all that was written. Each organization has names of its own. */
export interface PlaybookStore {
  /**
   * Adds a version and makes it the newest of its name; a version that is already the newest changes nothing. Throws
   * NotFoundError for an unknown organization.
   */
  put(playbook: NewPlaybook, by: Actor): Promise<void>
  /**
   * Notes that the files of all others are gone from the playbooks folder, which the audit log records once for each; one that is
   * put again later is recorded again. Their versions stay.
   */
  keepOnly(names: readonly string[], by: Actor): Promise<void>
  /** The newest version of every name. */
  list(scope: Scope, page: PageRequest, filter?: PlaybookFilter): Promise<Page<ListedPlaybook>>
  /** The newest version of this name; of a written and a made one, the written. */
  find(scope: Scope, name: string): Promise<StoredPlaybook | undefined>
  /** All versions of a name, the newest first; of a written and a made one, those of the written. */
  versions(scope: Scope, name: string, page: PageRequest): Promise<Page<ListedPlaybook>>
  findByHash(scope: Scope, hash: string): Promise<StoredPlaybook | undefined>
}
