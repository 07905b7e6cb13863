import type { SandboxReply } from 'tocsin/plugin/testing'
import { fixture } from './fixture.ts'

/** Trouble to switch on with `failNext`; any other reply can be given as well, also `reset`, `hang` and the other failures of the kit. */
export const faults = {
  rateLimited: { status: 429, headers: { 'retry-after': '7' }, json: fixture('error-429') },
  outage: { status: 500, json: { error: 'server_error' } },
  maintenance: {
    status: 503,
    headers: { 'content-type': 'text/html' },
    text: '<html><body><h1>We will be back soon</h1></body></html>',
  },
  signInPage: {
    status: 200,
    headers: { 'content-type': 'text/html' },
    text: '<!doctype html><title>Sign in</title>',
  },
  wrongAddress: { status: 404, headers: { 'content-type': 'text/html' }, text: '<h1>Not Found</h1>' },
  notAllowed: { status: 403, text: 'Forbidden' },
  truncatedBody: { status: 200, headers: { 'content-type': 'application/json' }, text: '{"data":[{"uuid":' },
} as const satisfies Record<string, SandboxReply>
