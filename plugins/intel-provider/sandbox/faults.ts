import type { SandboxReply } from 'tocsin/plugin/testing'
import { alertError, enrichmentError } from './answer.ts'

/** Trouble to switch on with `failNext`; any other reply can be given as well, also `reset` and `hang`. */
export const faults = {
  rateLimited: { ...alertError(429, 'Rate limit exceeded'), headers: { 'retry-after': '2' } },
  outage: enrichmentError(500, 'Internal server error'),
  badGateway: {
    status: 502,
    headers: { 'content-type': 'text/html' },
    text: '<html><body><h1>502 Bad Gateway</h1></body></html>',
  },
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
  emptyBody: { status: 200, text: '' },
  truncatedBody: {
    status: 200,
    headers: { 'content-type': 'application/json' },
    text: '{"data":{"risk":{"score":9',
  },
} as const satisfies Record<string, SandboxReply>
