import {
  ConnectionError,
  RetryableError,
  SkillError,
  textAt,
  valueAt,
  type JsonObject,
  type TocsinError,
} from 'tocsin/plugin'

const newToken =
  'Copy the Bot User OAuth Token from the page "OAuth & Permissions" of the app and enter it in the connection.'

/** The token is invalid or lacks a scope. */
const connectionWords: Readonly<Record<string, string>> = {
  invalid_auth: `The bot token is wrong, or calls from this address are not allowed. ${newToken}`,
  not_authed: `The request had no bot token. ${newToken}`,
  account_inactive: `The bot's account or its workspace was removed. Install the app again. ${newToken}`,
  token_revoked: `The bot token was revoked. Install the app again. ${newToken}`,
  token_expired: `The bot token has expired: token rotation must be off for the app. ${newToken}`,
  not_allowed_token_type: `Use a bot token, which begins with xoxb-. ${newToken}`,
  missing_scope:
    'Add the scope under "OAuth & Permissions" of the app, install the app again and enter the new token.',
  no_permission: 'The workspace does not let the app do this: ask an administrator of the workspace.',
  access_denied: 'The workspace does not let the app do this: ask an administrator of the workspace.',
  team_access_not_granted: 'The app is not installed in this workspace: install it, and enter the new token.',
  ekm_access_denied: 'The workspace’s administrators have suspended posting.',
  org_login_required: 'The workspace is being moved into an organization: install the app again afterwards.',
}

/** Temporary errors of the vendor. */
export const passing =
  'The messaging system has a problem, usually a temporary one: see https://slack-status.com if it lasts.'

/** Temporary errors of the vendor. */
const temporaryWords: ReadonlySet<string> = new Set([
  'ratelimited',
  'rate_limited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'team_added_to_org',
])

/** Errors in the input of a step. */
const stepWords: Readonly<Record<string, string>> = {
  users_not_found: 'No one in the workspace has this e-mail address, or the account is deactivated.',
  user_not_found: 'No one in the workspace has this user id.',
  user_not_visible: 'The app may not see this person, perhaps a guest or a member of another workspace.',
  user_disabled: 'The account of this person is deactivated.',
  cannot_dm_bot: 'A bot cannot answer: give the user id of a person.',
  message_not_found: 'The message was deleted.',
  cant_update_message: 'The message was not sent by this app.',
  edit_window_closed: 'The workspace no longer allows changes to this message.',
  channel_not_found: 'The conversation does not exist, or the app may not see it.',
}

/**
 * The error for `ok: false`: ConnectionError for the operator, RetryableError if a retry may help, or
 * SkillError for the author of the playbook. New codes may appear at any time.
 */
export function webApiError(
  method: string,
  body: JsonObject,
  headers: Readonly<Record<string, string>>,
): TocsinError {
  const word = wordOf(body)
  const message = `${method} answered ${word}${needed(body)}${explanation(body)}`
  if (temporaryWords.has(word)) {
    // The only code after which the call certainly had no effect.
    const code = /^rate_?limited$/.test(word) ? 'rate_limited' : `messaging_${word}`
    const seconds = Number(headers['retry-after'] ?? Number.NaN)
    const retryAfterMs = seconds >= 0 ? seconds * 1000 : undefined
    const hint = code === 'rate_limited' ? 'Too many calls: the step is retried after a pause.' : passing
    const effect = code === 'rate_limited' ? 'none' : 'unknown'
    return new RetryableError(code, message, { retryAfterMs, hint, effect })
  }
  const hintFor = (hints: Readonly<Record<string, string>>): string | undefined =>
    Object.hasOwn(hints, word) ? hints[word] : undefined
  const code = `messaging_${word}`
  const connectionHint = hintFor(connectionWords)
  if (connectionHint !== undefined) return new ConnectionError(code, message, { hint: connectionHint })
  return new SkillError(code, message, { hint: hintFor(stepWords) })
}

function wordOf(body: JsonObject): string {
  const word = textAt(body, 'error') ?? ''
  return /^[a-z][a-z0-9_]{0,79}$/.test(word) ? word : 'unknown_error'
}

function needed(body: JsonObject): string {
  const scopes = textAt(body, 'needed') ?? ''
  return /^[a-z:._, -]{1,200}$/.test(scopes) ? ` (needed: ${scopes})` : ''
}

/** The first message about an invalid argument. */
function explanation(body: JsonObject): string {
  const messages = valueAt(valueAt(body, 'response_metadata'), 'messages')
  const first: unknown = Array.isArray(messages) ? messages[0] : undefined
  return typeof first === 'string' && first !== '' ? `: ${first.slice(0, 300)}` : ''
}
