import { htmlReply, type SandboxReply } from 'tocsin/plugin/testing'
import { travelFixture } from './fixture.ts'

/**
 * Failures for `failNext`; any other response can be passed as well, also `reset`, `hang` and the other
 * failures of the kit.
 */
export const travelFaults = {
  rateLimited: { status: 429, headers: { 'retry-after': '7' }, json: travelFixture('error-429') },
  outage: { status: 500, json: { error: 'server_error' } },
  maintenance: htmlReply(503, '<html><body><h1>We will be back soon</h1></body></html>'),
  signInPage: htmlReply(200, '<!doctype html><title>Sign in</title>'),
  wrongAddress: htmlReply(404, '<h1>Not Found</h1>'),
  notAllowed: { status: 403, text: 'Forbidden' },
  truncatedBody: { status: 200, headers: { 'content-type': 'application/json' }, text: '{"data":[{"uuid":' },
} as const satisfies Record<string, SandboxReply>
