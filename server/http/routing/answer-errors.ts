import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import { withLogFields } from '../../../core/common/log-context.ts'
import { problemHeaders, problemDocument } from './problem.ts'
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

/** One year. Subdomains and preload lists are left to the operator. */
const strictTransport = { 'strict-transport-security': 'max-age=31536000' }

/** Converts errors to problem documents, and sets the headers of every response. */
export function answerErrors({
  log,
  clock,
  closing,
  isPublicTls,
}: Pick<Services, 'log' | 'clock' | 'closing'> & {
  /** The public address uses TLS: tells browsers to use only TLS. */
  readonly isPublicTls: boolean
}): Middleware {
  const always = Object.entries(isPublicTls ? { ...headers, ...strictTransport } : headers)
  const recordRefusal = createRefusalLog(log, 'could not accept a request')
  return async (context, next) => {
    const startedAt = clock.now()
    // Random: a counter would reveal the number of other requests.
    const requestId = randomUUID()
    for (const [name, value] of always) context.res.setHeader(name, value)
    context.res.setHeader('x-request-id', requestId)
    try {
      await withLogFields({ request_id: requestId }, next)
    } catch (error) {
      const problem = problemDocument(error, requestId)
      context.set(problemHeaders(error))
      context.status = problem.status
      context.set('content-type', 'application/problem+json')
      context.body = JSON.stringify(problem)
      const { status, code } = problem
      if (status === 500)
        log.error({ request_id: requestId, method: context.method, status, error }, 'request failed')
      else if (status === 503 && code !== 'not_ready')
        recordRefusal(code, { request_id: requestId, code, error })
      else log.debug({ request_id: requestId, status, code }, 'request refused')
    }
    // Otherwise a closing server would wait for the connection to become idle.
    if (closing.aborted) context.set('connection', 'close')
    // Without the query, which can contain tokens.
    const { method, status } = context
    const [path] = (context.req.url ?? '').split('?', 1)
    log.debug(
      { request_id: requestId, method, path, status, duration_ms: clock.now() - startedAt },
      'request',
    )
  }
}
