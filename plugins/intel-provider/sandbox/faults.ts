import { htmlReply, type SandboxReply } from 'tocsin/plugin/testing'
import { alertError, enrichmentError } from './answer.ts'

/** Failures for `failNext`; any other response can be passed as well, also `reset` and `hang`. */
export const intelFaults = {
  rateLimited: { ...alertError(429, 'Rate limit exceeded'), headers: { 'retry-after': '2' } },
  outage: enrichmentError(500, 'Internal server error'),
  badGateway: htmlReply(502, '<html><body><h1>502 Bad Gateway</h1></body></html>'),
  foreignNotFound: htmlReply(404, '<html><body>The page was not found</body></html>'),
  signInPage: htmlReply(200, '<!doctype html><title>Sign in</title>'),
  emptyBody: { status: 200, text: '' },
  truncatedBody: {
    status: 200,
    headers: { 'content-type': 'application/json' },
    text: '{"data":{"risk":{"score":9',
  },
} as const satisfies Record<string, SandboxReply>
