import { pathText, SkillError, textAt, TocsinError, type SkillContext } from 'tocsin/plugin'
import { actionsPermission } from '../permissions.ts'
import { readRecord } from '../lists/read-record.ts'

/**
 * Where a result of a finished action can be fetched, for some minutes. Null where the link cannot be had: the action is done all
 * the same.
 *
 * @param what Below the action, e.g. `getPackageUri`.
 */
export async function downloadLink(
  actionId: string,
  what: string,
  { http, log, signal }: Pick<SkillContext, 'http' | 'log' | 'signal'>,
): Promise<string | null> {
  try {
    // The name of the result is a call, `…(index=0)`, whose signs are not encoded.
    const path = [pathText(['api', 'machineactions', actionId]), what].join('/')
    return await readRecord(http, path, actionsPermission, linkIn)
  } catch (error) {
    if (signal.aborted || !(error instanceof TocsinError)) throw error
    log.warn('the link to a result cannot be had', {
      action: actionId,
      what,
      why: error.message,
      hint: error.hint,
    })
    return null
  }
}

/** The link of an answer `{ value }`; getPackageUri puts it into quotes of its own. */
function linkIn(body: unknown): string {
  const link = (textAt(body, 'value') ?? '').replace(/^"|"$/g, '')
  if (URL.canParse(link) && link.startsWith('https://')) return link
  throw new SkillError('bad_response', "the answer lacks a link in 'value'")
}
