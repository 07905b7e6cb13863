import type { SandboxReply } from 'tocsin/plugin/testing'
import { failure } from './answer.ts'

/** Trouble to switch on with `failNext`; any other reply or failure can be given as well. */
export const faults = {
  tooManyRequests: {
    ...failure(429, 'TooManyRequests', 'Maximum allowed API calls per minute was reached'),
    headers: { 'retry-after': '7' },
  },
  serverError: failure(500, 'InternalServerError', ''),
  emptyServerError: { status: 500, text: '' },
  badGateway: {
    status: 502,
    headers: { 'content-type': 'text/html' },
    text: '<html><body><h1>502 Bad Gateway</h1></body></html>',
  },
  gatewayTimeout: {
    status: 504,
    headers: { 'content-type': 'text/html' },
    text: '<html><body><h1>504 Gateway Timeout</h1></body></html>',
  },
  tokenRefused: failure(401, 'Unauthorized', 'The token has expired'),
  emptyForbidden: { status: 403, text: '' },
  featureDisabled: failure(403, 'DisabledFeature', 'Live response is not enabled'),
  foreignNotFound: {
    status: 404,
    headers: { 'content-type': 'text/html' },
    text: '<html><body>The page was not found</body></html>',
  },
  signInPage: {
    status: 200,
    headers: { 'content-type': 'text/html' },
    text: '<!doctype html><title>Sign in</title>',
  },
} as const satisfies Readonly<Record<string, SandboxReply>>
