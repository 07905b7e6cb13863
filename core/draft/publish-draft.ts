import type { Actor } from '../domain/audit.ts'
import { ConflictError } from '../errors/errors.ts'
import type { AcceptedEdit } from '../publishing/check-changes.ts'
import type { PlaybookLibrary } from '../investigation/playbook-library.ts'
import type { PublishScope } from '../publishing/playbook-owner.ts'
import type { OrganizationScope, SeenRevision } from '../ports/common.ts'
import type { DraftStore } from '../ports/playbooks/draft-store.ts'
import { draftNotFound, requireSeenDraft, type PlaybookDraft } from './draft.ts'

interface Parts {
  readonly drafts: Pick<DraftStore, 'find'>
  readonly playbooks: Pick<PlaybookLibrary, 'published' | 'apply'>
}

interface PublishedDraft {
  readonly name: string
  /** The revision of the draft that the publisher has read; undefined: any. */
  readonly seen: SeenRevision
  /** Why, for the list of versions and the audit log. */
  readonly reason: string
  readonly by: Actor
  /** What the publisher may publish. Default: everything. */
  readonly publishes?: PublishScope | undefined
}

/**
 * Publishes a draft, which then no longer exists. Of several concurrent calls, one publishes.
 *
 * @throws NotFoundError `draft_not_found`; ConflictError `revision_changed` if the draft was changed, `draft_outdated` if another
 * version than that of the draft is live; the errors of `PlaybookLibrary.apply`
 */
export async function publishDraft(
  scope: OrganizationScope,
  { name, seen, reason, by, publishes }: PublishedDraft,
  { drafts, playbooks }: Parts,
): Promise<AcceptedEdit> {
  const ready = async (): Promise<PlaybookDraft> => {
    const draft = await drafts.find(scope, name)
    if (draft === undefined) throw draftNotFound(name)
    requireSeenDraft(draft, seen)
    return draft
  }
  const draft = await ready()
  const { source, baseHash, revision } = draft
  const publication = { reason, draftRevision: revision }
  try {
    const [accepted] = await playbooks.apply([{ name, source, seen: baseHash, publication }], by, publishes)
    return accepted!
  } catch (error) {
    if (!(error instanceof ConflictError) || error.code !== 'revision_changed') throw error
    // Someone else published: this draft, or another version.
    await ready()
    requireLiveBase(draft, playbooks.published(name))
    throw error
  }
}

/** Throws ConflictError `draft_outdated` unless the version that the draft changes is the published one. */
function requireLiveBase({ name, baseHash }: PlaybookDraft, published: string | undefined): void {
  if (baseHash === (published ?? null)) return
  throw new ConflictError(
    'draft_outdated',
    published === undefined
      ? `the playbook '${name}' was deleted since the draft began`
      : `another version of '${name}' was published since the draft began`,
    {
      hint: 'look at the difference, and save the draft with the `base_hash` of the current version, or with null if there is none',
      details: { published: published ?? null },
    },
  )
}
