import { htmlReply, type SandboxReply } from 'tocsin/plugin/testing'
import { failed } from './answer.ts'
import { threatFixture } from './fixture.ts'

/** Failures for `failNext`; any other response can be passed as well, also `reset` and `hang`. */
export const threatFaults = {
  rateLimited: { ...failed(429, 'Rate limit exceeded'), headers: { 'retry-after': '3' } },
  outage: failed(500, 'Internal error'),
  /** The vendor's response to a wrong key, with status 200. */
  refusedWith200: { json: threatFixture('vendor-200-not-success') },
  signInPage: htmlReply(200, '<!doctype html><title>Sign in</title>'),
  wrongAddress: htmlReply(404, '<h1>Not Found</h1>'),
  truncatedBody: { status: 200, headers: { 'content-type': 'application/json' }, text: '{"alerts":[{"id":' },
} as const satisfies Record<string, SandboxReply>
