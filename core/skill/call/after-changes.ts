import { isOutcomeUnknown, mayHaveHappened, withEffect } from '../../engine/context/retry-class.ts'
import {
  TocsinError,
  type Effect,
  type HttpClient,
  type HttpRequest,
  type HttpResponse,
} from '../../plugin/index.ts'

/** Sends a request; `onSent` is told once the other system may have it. */
export type Exchange = (wanted: HttpRequest, onSent?: () => void) => Promise<HttpResponse>

/**
 * The requests of one call of a skill that changes things. Once one of them may have changed something, no error of a later one
 * says any more that nothing has happened: the engine would do all of it again.
 *
 * @param onEffect Told what is known of the effect of the call, from its first request on.
 */
export function inDoubtAfterChanges(
  request: Exchange,
  onEffect: (effect: Effect) => void = () => {},
): HttpClient['request'] {
  let hasChanged = false
  let underWay = 0
  const tell = (): void => onEffect(hasChanged || underWay > 0 ? 'unknown' : 'none')
  return async (wanted) => {
    const isChange = wanted.method !== undefined && wanted.method !== 'GET' && wanted.method !== 'HEAD'
    let isSent = false
    const onSent = (): void => {
      if (!isChange || isSent) return
      isSent = true
      underWay++
      tell()
    }
    tell()
    try {
      const response = await request(wanted, onSent)
      hasChanged ||= isChange && mayChange(response.status)
      return response
    } catch (error) {
      const doubted = hasChanged && error instanceof TocsinError ? withEffect(error, 'unknown') : error
      hasChanged ||= isChange && mayHaveHappened(error)
      // For people, and for whoever goes on from the run: a redirect, say, tells nobody what was done before it.
      throw isChange && isOutcomeUnknown(doubted) ? withEffect(doubted, 'unknown') : doubted
    } finally {
      if (isSent) underWay--
      tell()
    }
  }
}

/** An answer that the skill asked to see; one that says no has changed nothing. */
const mayChange = (status: number): boolean => status < 400 || status === 408 || status >= 500
