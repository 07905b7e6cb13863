import type { SandboxReply } from 'tocsin/plugin/testing'
import { refusalReply } from './answer.ts'

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
/** Valid, but the app was installed before its manifest had the scope for messages. */
export const narrowToken = 'xoxb-1000000000001-narrow'
export const revokedBotToken = 'xoxb-1000000000001-revoked'
/** The token of a deleted workspace. */
export const inactiveToken = 'xoxb-1000000000001-inactive'

const scopesOf: Readonly<Record<string, readonly string[]>> = {
  [botToken]: scopes,
  [narrowToken]: ['incoming-webhook', 'users:read', 'users:read.email'],
}
const refusals: Readonly<Record<string, string>> = {
  [revokedBotToken]: 'token_revoked',
  [inactiveToken]: 'account_inactive',
}

/** The token's scopes, or a refusal. */
export function checkToken(
  authorization: string | undefined,
  needed: string | undefined,
): SandboxReply | string {
  const token = authorization?.replace(/^Bearer /, '')
  if (token === undefined) return refusalReply('not_authed')
  const refused = Object.hasOwn(refusals, token) ? refusals[token] : undefined
  if (refused !== undefined) return refusalReply(refused)
  const granted = Object.hasOwn(scopesOf, token) ? scopesOf[token] : undefined
  if (granted === undefined) return refusalReply('invalid_auth')
  const provided = granted.join(',')
  if (needed === undefined || granted.includes(needed)) return provided
  return refusalReply('missing_scope', { needed, provided })
}
