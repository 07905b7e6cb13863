import type { SandboxReply } from 'tocsin/plugin/testing'

/** Trouble to switch on with `failNext`; any other reply can be given as well, and what the kit knows: `reset`, `hang`, … */
export const faults = {
  rateLimited: { status: 429, headers: { 'retry-after': '3' }, json: { ok: false, error: 'ratelimited' } },
  /** As above, with the status of everything else. */
  rateLimitedInBody: { headers: { 'retry-after': '3' }, json: { ok: false, error: 'ratelimited' } },
  internalError: { json: { ok: false, error: 'internal_error' } },
  outage: { status: 503, text: 'Service Unavailable' },
  signInPage: { headers: { 'content-type': 'text/html' }, text: '<!doctype html><title>Sign in</title>' },
  channelArchived: { status: 410, text: 'channel_is_archived' },
  postingProhibited: { status: 403, text: 'action_prohibited' },
  webhookRemoved: { status: 404, text: 'no_service' },
  notTheWebhook: { json: { ok: false } },
  webhookTrouble: { status: 500, text: 'rollup_error' },
} as const satisfies Record<string, SandboxReply>
