import { ConnectionError, RetryableError, SkillError, TocsinError, type Effect } from 'tocsin/plugin'
import { plainLine } from '../text.ts'

/** Fields of an error of the library. */
interface LibraryError {
  readonly message?: string
  readonly code?: string
  readonly authenticationFailed?: boolean
  readonly serverResponseCode?: string
  readonly responseStatus?: string
  readonly responseText?: string
  readonly oauthError?: { readonly status?: string }
  readonly throttleReset?: number
  readonly mailboxMissing?: boolean
}

/** The server sent more than the limit, or something other than IMAP. */
const hostile = /^(LineTooLarge|LiteralTooLarge|ResponseTooLarge|TooManyTokens)$/
const temporary = /^(UNAVAILABLE|INUSE|LIMIT|SERVERBUG)$/

/**
 * @param errors of one session, the most telling first
 * @param effect of the session, where the error itself does not tell
 */
export function imapError(errors: readonly unknown[], effect: Effect): TocsinError {
  const known = errors.find((error) => error instanceof TocsinError)
  if (known instanceof TocsinError) return known
  const all = errors.filter((error) => error instanceof Error) as readonly LibraryError[]
  // Commands fail with "no connection" when the connection was given up for another reason.
  const found = all.find(({ code }) => hostile.test(code ?? '')) ?? all[0] ?? {}
  const said = plainLine(found.responseText ?? found.message ?? '', 200)
  const { code = '', serverResponseCode = '', responseStatus } = found
  if (code === 'ETHROTTLE')
    return new RetryableError('rate_limited', 'the IMAP server asks to wait', {
      hint: 'other programs may use the same mailbox',
      retryAfterMs: Math.min(found.throttleReset ?? 60_000, 3_600_000),
      effect: 'none',
    })
  if (temporary.test(serverResponseCode))
    return new RetryableError('unavailable', `the IMAP server is not available now: ${said}`, {
      hint: 'usually temporary; mail servers also limit the number of connections of a mailbox',
      effect,
    })
  if (found.authenticationFailed === true) return refused(found, said)
  if (hostile.test(code))
    return new SkillError('response_too_large', `the answer of the IMAP server is too large (${code})`, {
      hint: 'ask for fewer messages; a server that answers like this may be broken',
      effect,
    })
  if (found.mailboxMissing === true || serverResponseCode === 'NONEXISTENT')
    return new SkillError('mailbox_not_found', 'there is no such mailbox', {
      hint: 'list the mailboxes with mail.list_mailboxes; their names depend on the language of the account',
      effect: 'none',
    })
  if (responseStatus === 'NO' || responseStatus === 'BAD')
    return new SkillError('imap_refused', `the IMAP server refused the command: ${said}`, {
      hint: 'check the permissions of the account on the mailbox',
      effect: 'none',
    })
  if (code.startsWith('ParserError') || code === 'InvalidResponse')
    return new SkillError('bad_response', 'the answer of the IMAP server cannot be read', {
      hint: 'check imap_host and imap_port: another service may have answered',
      effect,
    })
  return new RetryableError(
    'network_error',
    `the connection to the IMAP server ended${code && ` (${code})`}`,
    {
      hint: 'check the server; if it persists, check imap_host, imap_port and imap_tls',
      details: { code: code || null },
      effect,
    },
  )
}

function refused({ serverResponseCode, oauthError }: LibraryError, said: string): ConnectionError {
  const what = said === '' ? '' : `: ${said}`
  const options = { effect: 'none' } as const
  if (serverResponseCode === 'AUTHORIZATIONFAILED')
    return new ConnectionError('mail_no_access', `the account may not read the mailbox${what}`, {
      ...options,
      hint: 'grant access: at Microsoft 365 with Add-MailboxPermission for the service principal',
    })
  if (oauthError !== undefined)
    return new ConnectionError('mail_refused', `the IMAP server refused the access token${what}`, {
      ...options,
      hint: 'check oauth_scope and the mailbox permission of the application; a token of Microsoft Graph does not work',
    })
  return new ConnectionError('mail_refused', `the IMAP server refused user or password${what}`, {
    ...options,
    hint: 'check user and password; accounts with two-step verification need an app password, Microsoft 365 needs OAuth',
  })
}
