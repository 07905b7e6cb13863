import type { Actor } from '../../domain/audit.ts'
import type { GivenDraft, ListedDraft, PlaybookDraft, SeenDraft } from '../../draft/draft.ts'
import type { OrganizationScope, SeenRevision } from '../common.ts'

/** Drafts of playbooks. A scope sees those of its organizations, and the shared ones. `PlaybookStore.put` removes a published draft. */
export interface DraftStore {
  /** Last changed first, without sources. */
  list(scope: OrganizationScope): Promise<readonly ListedDraft[]>
  find(scope: OrganizationScope, name: string): Promise<PlaybookDraft | undefined>
  /**
   * Creates or replaces the draft of a name. Throws the errors of `requireSeenDraft` and `requireDraftRoom`, and NotFoundError for an
   * unknown organization.
   */
  save(draft: NewDraft, seen: SeenDraft, by: Actor): Promise<PlaybookDraft>
  /** Throws NotFoundError `draft_not_found`, ConflictError `revision_changed`. */
  discard(scope: OrganizationScope, name: string, seen: SeenRevision, by: Actor): Promise<void>
}

export interface NewDraft extends GivenDraft {
  readonly name: string
  /** Null: shared. */
  readonly organizationUuid: string | null
}
