import { ConnectionError, RetryableError, SkillError, TocsinError, type Effect } from 'tocsin/plugin'
import { plainLine } from '../text.ts'

/** Fields of an error of the library. */
interface LibraryError {
  readonly code?: string
  readonly responseCode?: number
  readonly response?: string
  readonly command?: string
}

/**
 * @param errors of one session, the most telling first
 * @param effect if the server gave no answer: `unknown` once a message is under way
 */
export function smtpError(errors: readonly unknown[], effect: Effect): TocsinError {
  const known = errors.find((error) => error instanceof TocsinError)
  if (known instanceof TocsinError) return known
  const found = (errors.find((error) => error instanceof Error) ?? {}) as LibraryError
  const { code = '', responseCode = 0, command = '' } = found
  const said = plainLine(found.response ?? '', 200)
  const answered = { effect: 'none' } as const
  if (responseCode >= 400 && responseCode < 500)
    return new RetryableError('unavailable', `the SMTP server is not ready: ${said}`, {
      hint: 'usually temporary, e.g. too many messages',
      ...answered,
    })
  if (code === 'EAUTH') return refused(said)
  if (responseCode >= 500)
    return new SkillError(
      code === 'EENVELOPE' && command !== 'DATA' ? 'recipients_refused' : 'smtp_refused',
      refusal(command, said),
      {
        hint: 'check the addresses, and that the account may send as from_address',
        ...answered,
      },
    )
  if (code === 'EMESSAGE' || code === 'EENVELOPE')
    return new SkillError(
      'smtp_refused',
      'the message is larger than the SMTP server accepts, or has no recipient',
      {
        hint: 'send less',
        ...answered,
      },
    )
  if (code === 'EPROTOCOL')
    return new SkillError('bad_response', 'the answer of the SMTP server cannot be read', {
      hint: 'check smtp_host and smtp_port: another service may have answered',
      effect,
    })
  return new RetryableError(
    'network_error',
    `the connection to the SMTP server ended${code && ` (${code})`}`,
    {
      hint: 'check the server; if it persists, check smtp_host, smtp_port and smtp_tls',
      details: { code: code || null },
      effect,
    },
  )
}

const refusal = (command: string, said: string): string =>
  `the SMTP server refused ${command === 'DATA' ? 'the message' : 'the sender or the recipients'}: ${said}`

function refused(said: string): ConnectionError {
  const isDisabled = /SmtpClientAuthentication is disabled|5\.7\.139/i.test(said)
  return new ConnectionError('mail_refused', `the SMTP server refused the sign-in: ${said}`, {
    hint: isDisabled
      ? 'allow authenticated SMTP for the mailbox, and use OAuth: Microsoft 365 accepts no passwords'
      : 'check user and password, or the permission SMTP.SendAsApp and the mailbox permission of the application',
    effect: 'none',
  })
}
