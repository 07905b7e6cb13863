import { pathText, SkillError, textAt, TocsinError, type SkillContext } from 'tocsin/plugin'
import { actionsPermission } from '../permissions.ts'
import { readRecord } from '../lists/read-record.ts'

/**
 * A link to the result of a finished action, valid for some minutes. Null if the link is unavailable; the
 * action is still done.
 *
 * @param what Path below the action, e.g. `getPackageUri`.
 */
export async function downloadLink(
  actionId: string,
  what: string,
  { http, log, signal }: Pick<SkillContext, 'http' | 'log' | 'signal'>,
): Promise<string | null> {
  try {
    // The last path segment is a function call, `…(index=0)`, and must not be percent-encoded.
    const path = [pathText(['api', 'machineactions', actionId]), what].join('/')
    return await readRecord(http, path, actionsPermission, linkIn)
  } catch (error) {
    if (signal.aborted || !(error instanceof TocsinError)) throw error
    log.warn('cannot get the link to a result', {
      action: actionId,
      what,
      why: error.message,
      hint: error.hint,
    })
    return null
  }
}

/** The link in a response `{ value }`; getPackageUri adds quotes around it. */
function linkIn(body: unknown): string {
  const link = (textAt(body, 'value') ?? '').replace(/^"|"$/g, '')
  if (URL.canParse(link) && link.startsWith('https://')) return link
  throw new SkillError('bad_response', "the response lacks a link in 'value'")
}
