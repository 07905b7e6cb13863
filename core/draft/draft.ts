import type { Sliced } from '../common/sliced.ts'
import { openSourceInSlices } from '../playbook/yaml/open-source.ts'
import { authorOf, type Actor, type Author } from '../domain/audit.ts'
import { ConflictError, NotFoundError } from '../errors/errors.ts'
import type { SeenRevision } from '../ports/common.ts'

/** An edited playbook that is not published yet; at most one for each name. Its source may have errors. */
export interface PlaybookDraft extends GivenDraft {
  /** Of the playbook, which need not exist. */
  readonly name: string
  /** Never used twice, also not by a later draft of the same name. */
  readonly revision: number
  /** The organization of the playbook; null: all organizations share it. */
  readonly organizationUuid: string | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly createdBy: Author
  /** Epoch milliseconds. */
  readonly changedAt: number
  readonly changedBy: Author
}

/** What its author gives. */
export interface GivenDraft {
  readonly source: string
  /** Content hash of the published version that it changes; null: it is a new playbook. */
  readonly baseHash: string | null
  /** For readers of the draft; empty: none. */
  readonly note: string
}

/** A draft in a list. */
export type ListedDraft = Omit<PlaybookDraft, 'source'>

/** The draft that the author has read: its revision; undefined: any; null: there was none. */
export type SeenDraft = SeenRevision | null

/** Of one organization, and of all: otherwise one organization could keep others from drafts. */
export const maxDrafts = 1_000

/** Throws ConflictError `draft_exists` if there is one by now, `revision_changed` if it was changed, published or discarded. */
export function requireSeenDraft(draft: PlaybookDraft | undefined, seen: SeenDraft): void {
  if (draft === undefined) {
    if (seen === null) return
    throw new ConflictError('revision_changed', 'the draft was published or discarded')
  }
  if (seen === undefined || seen === draft.revision) return
  const saved = `${draft.changedBy.name} saved a draft of '${draft.name}' at ${new Date(draft.changedAt).toISOString()}`
  throw new ConflictError(seen === null ? 'draft_exists' : 'revision_changed', saved)
}

/** Throws ConflictError `too_many_drafts`. */
export function requireDraftRoom(kept: number): void {
  if (kept < maxDrafts) return
  throw new ConflictError('too_many_drafts', `there are ${kept} drafts`, {
    hint: 'publish or discard some first',
  })
}

/** The times and authors of a draft after it was saved. */
export function savedBy(
  before: PlaybookDraft | undefined,
  by: Actor,
  now: number,
): Pick<PlaybookDraft, 'createdAt' | 'createdBy' | 'changedAt' | 'changedBy'> {
  const author = authorOf(by)
  const { createdAt = now, createdBy = author } = before ?? {}
  return { createdAt, createdBy, changedAt: now, changedBy: author }
}

export const draftNotFound = (name: string): NotFoundError =>
  new NotFoundError('draft_not_found', `the playbook '${name.slice(0, 200)}' has no draft`)

/** Code of the organization in the source of a draft, also if it has errors. Undefined: there is none. */
export function* organizationIn(source: string): Sliced<string | undefined> {
  const { root } = yield* openSourceInSlices(source, undefined, 'tolerant')
  if (root?.kind !== 'map') return /^organization:[ \t]+["']?(\w+)/m.exec(source)?.[1]
  const value = root.entries.find(({ name }) => name === 'organization')?.value
  return value?.kind === 'scalar' && value.value !== null ? String(value.value) : undefined
}
