import type { SandboxReply } from 'tocsin/plugin/testing'
import { refusal } from './answer.ts'

const scopes = [
  'incoming-webhook',
  'users:read',
  'users:read.email',
  'chat:write',
  'im:write',
  'app_mentions:read',
  'im:history',
]

export const botToken = 'xoxb-1000000000001-sandbox'
/** Valid, but the app was installed before it asked for messages. */
export const narrowToken = 'xoxb-1000000000001-narrow'
export const revokedToken = 'xoxb-1000000000001-revoked'
/** Of a workspace that was removed. */
export const inactiveToken = 'xoxb-1000000000001-inactive'

const scopesOf: Readonly<Record<string, readonly string[]>> = {
  [botToken]: scopes,
  [narrowToken]: ['incoming-webhook', 'users:read', 'users:read.email'],
}
const refusals: Readonly<Record<string, string>> = {
  [revokedToken]: 'token_revoked',
  [inactiveToken]: 'account_inactive',
}

/** What the token may do, or the answer that refuses it. */
export function checkToken(
  authorization: string | undefined,
  needed: string | undefined,
): SandboxReply | string {
  const token = authorization?.replace(/^Bearer /, '')
  if (token === undefined) return refusal('not_authed')
  const refused = Object.hasOwn(refusals, token) ? refusals[token] : undefined
  if (refused !== undefined) return refusal(refused)
  const granted = Object.hasOwn(scopesOf, token) ? scopesOf[token] : undefined
  if (granted === undefined) return refusal('invalid_auth')
  const provided = granted.join(',')
  if (needed === undefined || granted.includes(needed)) return provided
  return refusal('missing_scope', { needed, provided })
}
