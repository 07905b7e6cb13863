import type { IncomingHttpHeaders } from 'node:http'
import { ConflictError } from '../../../core/errors/errors.ts'
import type { JsonSchema } from '../../../core/plugin/index.ts'
import type { SeenRevision } from '../../../core/ports/common.ts'
import { patterns } from './patterns.ts'
import { RequestError } from './request-error.ts'

/** The `ETag` header of an editable object. */
export const entityTag = ({ revision }: { readonly revision: number }) => ({ etag: `"${revision}"` })

/** Headers of a route that edits. */
export const ifMatchHeader = {
  type: 'object',
  properties: {
    'if-match': {
      type: 'string',
      maxLength: 200,
      ...patterns.ifMatch,
      description:
        'The `ETag` that you read before the change, or several alternatives; `*`: change any state.',
    },
  },
} as const satisfies JsonSchema

/**
 * Edits only the revision that the caller has read, so that concurrent edits are not lost.
 *
 * @throws RequestError `precondition_required` without the header, `precondition_failed` after a change by
 * someone else
 */
export function editSeen<T>(
  headers: IncomingHttpHeaders,
  edit: (revision: SeenRevision) => Promise<T>,
): Promise<T> {
  if (headers['if-match'] !== undefined) return editIfSeen(headers, edit)
  throw ifMatchMissing()
}

/** Like an edit, but the header is optional. */
export function editIfSeen<T>(
  headers: IncomingHttpHeaders,
  edit: (revision: SeenRevision) => Promise<T>,
): Promise<T> {
  return unlessChanged(() => firstUnchanged(seenRevisions(headers['if-match']), edit))
}

export const ifMatchMissing = () =>
  new RequestError('precondition_required', 'The header If-Match is missing.', {
    hint: 'send the ETag that you read, so that no change of others is lost; or `*`',
  })

/** @throws RequestError `precondition_failed` if the object has changed since it was read */
export async function unlessChanged<T>(edit: () => Promise<T>): Promise<T> {
  try {
    return await edit()
  } catch (error) {
    if (!(error instanceof ConflictError) || error.code !== 'revision_changed') throw error
    throw new RequestError('precondition_failed', 'Someone else changed it since you read it.', {
      hint: 'read it again, and repeat the change with its ETag',
    })
  }
}

/** Matches nothing: a foreign tag, or a weak one. */
const noRevision = 0

function seenRevisions(ifMatch: string | undefined): readonly SeenRevision[] {
  if (ifMatch === undefined) return [undefined]
  const tags = tagsIn(ifMatch)
  if (tags === '*') return [undefined]
  const revisions = tags.filter((tag) => /^[1-9][0-9]{0,14}$/.test(tag)).map(Number)
  return revisions.length === 0 ? [noRevision] : revisions
}

/** The tags of the header (see `patterns.ifMatch`); weak ones never match (RFC 9110, section 13.1.1). */
export function tagsIn(ifMatch: string): '*' | readonly string[] {
  if (ifMatch === '*') return '*'
  return [...ifMatch.matchAll(/(W\/)?"([^"]*)"/g)].flatMap(([, weak, tag = '']) =>
    weak === undefined ? [tag] : [],
  )
}

/** Only the current revision can match, so at most one edit succeeds. */
async function firstUnchanged<T>(
  [seen, ...others]: readonly SeenRevision[],
  edit: (revision: SeenRevision) => Promise<T>,
): Promise<T> {
  try {
    return await edit(seen)
  } catch (error) {
    const isOther = error instanceof ConflictError && error.code === 'revision_changed'
    if (!isOther || others.length === 0) throw error
    return await firstUnchanged(others, edit)
  }
}
