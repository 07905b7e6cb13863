import { ConnectionError, SkillError, textAt, valueAt, type Authenticated } from 'tocsin/plugin'

const needed = ['alerts:read', 'incidents:read']
const dayMs = 86_400_000
/** How long before its expiry a token causes a warning. */
const warnMs = 14 * dayMs

/**
 * Checks that the token is active, not expired, and allowed to read alerts and incidents. Warns if it expires
 * within 14 days. Throws ConnectionError `token_inactive`, `token_expired` and `permission_missing`, and
 * SkillError `bad_response` for a body that is no token status.
 */
export function checkTokenStatus(body: unknown, nowMs: number): Authenticated {
  const status = textAt(body, 'status')
  const permissions = valueAt(body, 'permissions')
  if (status === null || !Array.isArray(permissions)) {
    throw new SkillError('bad_response', 'the response is not a token status', {
      hint: 'check base_url and contract of the connection',
    })
  }
  const expiresAt = textAt(body, 'expires_at')
  const leftMs = Date.parse(expiresAt ?? '') - nowMs
  if (leftMs <= 0) {
    throw new ConnectionError('token_expired', `the API token expired at ${expiresAt}`, { hint: renew })
  }
  if (status.toLowerCase() !== 'active') {
    throw new ConnectionError('token_inactive', `the API token is '${status.slice(0, 100)}', not active`, {
      hint: renew,
    })
  }
  const missing = needed.filter((permission) => !permissions.includes(permission))
  if (missing.length > 0) {
    throw new ConnectionError('permission_missing', `the API token lacks ${missing.join(' and ')}`, {
      hint: 'create a token with read access to alerts and incidents; permissions are chosen when it is created',
    })
  }
  if (!(leftMs <= warnMs)) return {}
  const days = Math.ceil(leftMs / dayMs)
  return {
    warning: `The API token expires at ${expiresAt}, in ${days === 1 ? 'a day' : `${days} days`}: create a new one and enter it here.`,
  }
}

const renew = 'create a new token on the platform and enter it in the connection'
