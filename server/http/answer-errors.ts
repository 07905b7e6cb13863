import { randomBytes } from 'node:crypto'
import type { Middleware } from 'koa'
import { withLogFields } from '../../core/log-context.ts'
import { problemHeaders, problemOf } from './problem.ts'
import { createRefusalLog } from './refusal-log.ts'
import type { Services } from './route.ts'

const headers = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
}

/** Turns whatever is thrown into a problem document, and sets what every answer carries. */
export function answerErrors({
  log,
  clock,
  closing,
}: Pick<Services, 'log' | 'clock' | 'closing'>): Middleware {
  const newId = requestIds()
  const recordRefusal = createRefusalLog(log, 'a request could not be taken')
  return async (context, next) => {
    const startedAt = clock.now()
    const requestId = newId()
    context.set(headers)
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

/** Unique over restarts, and cheap: one random part per process, and a number. */
function requestIds(): () => string {
  const process = randomBytes(6).toString('hex')
  let count = 0
  return () => `${process}-${(++count).toString(36)}`
}
