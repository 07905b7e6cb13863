import { isOutcomeUnknown, mayHaveHappened, withEffect } from '../../engine/context/retry-class.ts'
import {
  TocsinError,
  type Effect,
  type HttpClient,
  type HttpRequest,
  type HttpResponse,
} from '../../plugin/index.ts'

/** Sends a request; calls `onSent` once the other system may have received it. */
export type Exchange = (wanted: HttpRequest, onSent?: () => void) => Promise<HttpResponse>

/**
 * The requests of one call of a writing skill. After the first request that may have changed something, no
 * later error may claim that nothing happened, because the engine would repeat everything.
 *
 * @param onEffect called with the known effect, from the first request on
 */
export function inDoubtAfterChanges(
  request: Exchange,
  onEffect: (effect: Effect) => void = () => {},
): HttpClient['request'] {
  let hasChanged = false
  let underWay = 0
  const tell = (): void => onEffect(hasChanged || underWay > 0 ? 'unknown' : 'none')
  return async (wanted) => {
    const { method = 'GET', reads } = wanted
    const isChange = reads !== true && method !== 'GET' && method !== 'HEAD'
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
      // Marked for people and later runs: a redirect, for example, does not tell the effect of the
      // request.
      throw isChange && isOutcomeUnknown(doubted) ? withEffect(doubted, 'unknown') : doubted
    } finally {
      if (isSent) underWay--
      tell()
    }
  }
}

/** An answer that the skill accepted; a refusal changed nothing. */
const mayChange = (status: number): boolean => status < 400 || status === 408 || status >= 500

/** The effect of a call over both clients: `none` only if neither may have changed anything. */
export function effectsOf(
  onEffect: ((effect: Effect) => void) | undefined,
): readonly [(effect: Effect) => void, (effect: Effect) => void] {
  const known: [Effect, Effect] = ['none', 'none']
  const tell = (at: 0 | 1) => (effect: Effect) => {
    known[at] = effect
    onEffect?.(known.includes('unknown') ? 'unknown' : 'none')
  }
  return [tell(0), tell(1)]
}
