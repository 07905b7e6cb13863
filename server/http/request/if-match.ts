import type { IncomingHttpHeaders } from 'node:http'
import { ConflictError } from '../../../core/errors/errors.ts'
import type { JsonSchema } from '../../../core/plugin/index.ts'
import type { SeenRevision } from '../../../core/ports/common.ts'
import { patterns } from './patterns.ts'
import { RequestError } from './request-error.ts'

/** Header of an answer that shows something that can be edited. */
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
        'The `ETag` of what is changed, as it was seen, or several of which one has to be; `*`: whatever it is now.',
    },
  },
} as const satisfies JsonSchema

/**
 * Edits what the caller has seen, and nothing else: of two people who look at the same thing and change it, the second one is told.
 *
 * @throws RequestError `precondition_required` without the header, `precondition_failed` where it has been changed since
 */
export function editSeen<T>(
  headers: IncomingHttpHeaders,
  edit: (revision: SeenRevision) => Promise<T>,
): Promise<T> {
  if (headers['if-match'] !== undefined) return editIfSeen(headers, edit)
  throw ifMatchMissing()
}

/** The same for what is no edit: without the header it is done whatever there is now. */
export function editIfSeen<T>(
  headers: IncomingHttpHeaders,
  edit: (revision: SeenRevision) => Promise<T>,
): Promise<T> {
  return unlessChanged(() => firstUnchanged(seenRevisions(headers['if-match']), edit))
}

export const ifMatchMissing = () =>
  new RequestError('precondition_required', 'The header If-Match is missing.', {
    hint: 'send the ETag of what is changed as it was seen, so that nobody else’s change is lost; or `*`',
  })

/** @throws RequestError `precondition_failed` where the edit finds that what it is about has changed since it was seen */
export async function unlessChanged<T>(edit: () => Promise<T>): Promise<T> {
  try {
    return await edit()
  } catch (error) {
    if (!(error instanceof ConflictError) || error.code !== 'revision_changed') throw error
    throw new RequestError('precondition_failed', 'It has been changed since it was seen.', {
      hint: 'look at it as it is now, and send the change again with its ETag',
    })
  }
}

/** None has it: a tag that is none of ours, or a weak one. */
const noRevision = 0

function seenRevisions(ifMatch: string | undefined): readonly SeenRevision[] {
  if (ifMatch === undefined) return [undefined]
  const tags = tagsIn(ifMatch)
  if (tags === '*') return [undefined]
  const revisions = tags.filter((tag) => /^[1-9][0-9]{0,14}$/.test(tag)).map(Number)
  return revisions.length === 0 ? [noRevision] : revisions
}

/** The tags in the header (see `patterns.ifMatch`), any of which may be the right one; weak ones never are (RFC 9110, section 13.1.1). */
export function tagsIn(ifMatch: string): '*' | readonly string[] {
  if (ifMatch === '*') return '*'
  return [...ifMatch.matchAll(/(W\/)?"([^"]*)"/g)].flatMap(([, weak, tag = '']) =>
    weak === undefined ? [tag] : [],
  )
}

/** There is one revision, so that one edit at most does anything. */
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
