import type { IncomingHttpHeaders } from 'node:http'
import { ConflictError } from '../../core/errors/errors.ts'
import type { JsonSchema } from '../../core/plugin/index.ts'
import type { SeenRevision } from '../../core/ports.ts'
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
      description: 'The `ETag` of what is changed, as it was seen; `*`: whatever it is now.',
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
  return unlessChanged(() => edit(seenRevision(headers['if-match'])))
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

function seenRevision(ifMatch: string | undefined): SeenRevision {
  const tag = ifMatch?.trim()
  if (tag === undefined || tag === '*') return undefined
  const [, revision] = /^"([1-9][0-9]{0,14})"$/.exec(tag) ?? []
  return revision === undefined ? noRevision : Number(revision)
}
