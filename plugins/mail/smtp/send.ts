import { Readable } from 'node:stream'
import { SkillError } from 'tocsin/plugin'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { MailContext } from '../credentials.ts'
import { plainLine } from '../text.ts'
import { compose, type Mail } from './compose.ts'
import { withSmtp } from './session.ts'

export interface Sent {
  readonly message_id: string
  readonly accepted: readonly string[]
  readonly rejected: readonly string[]
  /** What the server said, e.g. its queue id. */
  readonly response: string
}

/** Sends a mail once. If the server accepts some recipients only, it is sent to them. */
export async function sendOnce(context: MailContext, mail: Omit<Mail, 'from'>): Promise<Sent> {
  const from = context.settings.from_address
  const bytes = await compose({ ...mail, from })
  const envelope = { from, to: [...mail.to, ...(mail.cc ?? [])], size: bytes.length }
  const info = await withSmtp(context, (client, beforeChange) => {
    // Read when the server has accepted the envelope and waits for the message.
    const message = Readable.from(
      (function* () {
        beforeChange()
        yield bytes
      })(),
    )
    return send(client, envelope, message)
  })
  return {
    message_id: info.serverMessageId ?? mail.messageId,
    accepted: info.accepted,
    rejected: info.rejected,
    response: plainLine(info.response, 300),
  }
}

const send = (
  client: SMTPConnection,
  envelope: SMTPConnection.Envelope,
  message: Readable,
): Promise<SMTPConnection.SentMessageInfo> =>
  new Promise((resolve, reject) =>
    client.send(envelope, message, (error, info) => {
      if (error) reject(error)
      else if (info === undefined) reject(new SkillError('bad_response', 'the SMTP server gave no answer'))
      else resolve(info)
    }),
  )
