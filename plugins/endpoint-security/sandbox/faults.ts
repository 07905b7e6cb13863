import { htmlReply, type SandboxReply } from 'tocsin/plugin/testing'
import { failure } from './answer.ts'

/** Failures for `failNext`; any other response or failure can be passed as well. */
export const endpointFaults = {
  tooManyRequests: {
    ...failure(429, 'TooManyRequests', 'Maximum allowed API calls per minute was reached'),
    headers: { 'retry-after': '7' },
  },
  serverError: failure(500, 'InternalServerError', ''),
  emptyServerError: { status: 500, text: '' },
  badGateway: htmlReply(502, '<html><body><h1>502 Bad Gateway</h1></body></html>'),
  gatewayTimeout: htmlReply(504, '<html><body><h1>504 Gateway Timeout</h1></body></html>'),
  tokenRefused: failure(401, 'Unauthorized', 'The token has expired'),
  emptyForbidden: { status: 403, text: '' },
  featureDisabled: failure(403, 'DisabledFeature', 'Live response is not enabled'),
  foreignNotFound: htmlReply(404, '<html><body>The page was not found</body></html>'),
  signInPage: htmlReply(200, '<!doctype html><title>Sign in</title>'),
} as const satisfies Readonly<Record<string, SandboxReply>>
