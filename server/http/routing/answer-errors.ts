import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import { withLogFields } from '../../../core/common/log-context.ts'
import { problemHeaders, problemOf } from './problem.ts'
import { createRefusalLog } from '../limits/refusal-log.ts'
import type { Services } from './route.ts'

const headers = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
}

/** A year. Not for names below this one, nor for the lists of browsers: both are for the operator to decide. */
const strictTransport = { 'strict-transport-security': 'max-age=31536000' }

/** Turns whatever is thrown into a problem document, and sets what every answer carries. */
export function answerErrors({
  log,
  clock,
  closing,
  isPublicTls,
}: Pick<Services, 'log' | 'clock' | 'closing'> & {
  /** People reach the server over TLS: browsers are told to come by no other way. */
  readonly isPublicTls: boolean
}): Middleware {
  const always = isPublicTls ? { ...headers, ...strictTransport } : headers
  const recordRefusal = createRefusalLog(log, 'a request could not be taken')
  return async (context, next) => {
    const startedAt = clock.now()
    // Random: a number that counts up would tell how many requests others send.
    const requestId = randomUUID()
    context.set(always)
    context.set('x-request-id', requestId)
    try {
      await withLogFields({ request_id: requestId }, next)
    } catch (error) {
      const problem = problemOf(error, requestId)
      context.set(problemHeaders(error))
      context.status = problem.status
      context.set('content-type', 'application/problem+json')
      context.body = JSON.stringify(problem)
      const { status, code } = problem
      if (status === 500)
        log.error({ request_id: requestId, method: context.method, status, error }, 'a request failed')
      else if (status === 503 && code !== 'not_ready')
        recordRefusal(code, { request_id: requestId, code, error })
      else log.debug({ request_id: requestId, status, code }, 'a request was refused')
    }
    // Else a closing server would wait for the connection to become idle.
    if (closing.aborted) context.set('connection', 'close')
    // The path without its query, which can hold tokens.
    const { method, status } = context
    const [path] = (context.req.url ?? '').split('?', 1)
    log.debug(
      { request_id: requestId, method, path, status, duration_ms: clock.now() - startedAt },
      'request',
    )
  }
}
