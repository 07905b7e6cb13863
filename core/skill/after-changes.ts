import { mayHaveHappened } from '../engine/retry-class.ts'
import { RetryableError, type HttpClient } from '../plugin/index.ts'

/**
 * The requests of one call of a skill that changes things. Once one of them may have changed something, no error of a later one
 * says any more that nothing has happened: the engine would do all of it again.
 */
export function inDoubtAfterChanges(request: HttpClient['request']): HttpClient['request'] {
  let hasChanged = false
  return async (wanted) => {
    const isChange = wanted.method !== undefined && wanted.method !== 'GET' && wanted.method !== 'HEAD'
    try {
      const response = await request(wanted)
      hasChanged ||= isChange && response.status < 400
      return response
    } catch (error) {
      const doubted = hasChanged ? doubt(error) : error
      hasChanged ||= isChange && mayHaveHappened(error)
      throw doubted
    }
  }
}

function doubt(error: unknown): unknown {
  if (!(error instanceof RetryableError) || mayHaveHappened(error)) return error
  const { code, message, hint, retryAfterMs, details, cause } = error
  return new RetryableError(code, message, { hint, retryAfterMs, details: { ...details, sent: true }, cause })
}
