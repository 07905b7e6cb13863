import { htmlReply, type SandboxReply } from 'tocsin/plugin/testing'

/**
 * Failures for `failNext`; any other response can be passed as well, and those of the test kit: `reset`,
 * `hang`, …
 */
export const messagingFaults = {
  rateLimited: { status: 429, headers: { 'retry-after': '3' }, json: { ok: false, error: 'ratelimited' } },
  /** The same with status 200, as for other errors of the Web API. */
  rateLimitedInBody: { headers: { 'retry-after': '3' }, json: { ok: false, error: 'ratelimited' } },
  internalError: { json: { ok: false, error: 'internal_error' } },
  outage: { status: 503, text: 'Service Unavailable' },
  signInPage: htmlReply(200, '<!doctype html><title>Sign in</title>'),
  channelArchived: { status: 410, text: 'channel_is_archived' },
  postingProhibited: { status: 403, text: 'action_prohibited' },
  webhookRemoved: { status: 404, text: 'no_service' },
  notTheWebhook: { json: { ok: false } },
  webhookTrouble: { status: 500, text: 'rollup_error' },
} as const satisfies Record<string, SandboxReply>
