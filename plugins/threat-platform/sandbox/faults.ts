import type { SandboxReply } from 'tocsin/plugin/testing'
import { failed } from './answer.ts'
import { fixture } from './fixture.ts'

/** Trouble to switch on with `failNext`; any other reply can be given as well, also `reset` and `hang`. */
export const faults = {
  rateLimited: { ...failed(429, 'Rate limit exceeded'), headers: { 'retry-after': '3' } },
  outage: failed(500, 'Internal error'),
  /** What the vendor answers with status 200 although the key is wrong. */
  refusedWith200: { json: fixture('vendor-200-not-success') },
  signInPage: {
    status: 200,
    headers: { 'content-type': 'text/html' },
    text: '<!doctype html><title>Sign in</title>',
  },
  wrongAddress: { status: 404, headers: { 'content-type': 'text/html' }, text: '<h1>Not Found</h1>' },
  truncatedBody: { status: 200, headers: { 'content-type': 'application/json' }, text: '{"alerts":[{"id":' },
} as const satisfies Record<string, SandboxReply>
