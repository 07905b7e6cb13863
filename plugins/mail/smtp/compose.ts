import { createHash } from 'node:crypto'
import { SkillError } from 'tocsin/plugin'
import { plainLine, plainLines } from '../text.ts'

export interface Mail {
  readonly from: string
  readonly to: readonly string[]
  readonly cc?: readonly string[] | undefined
  readonly subject: string
  readonly text: string
  /** The text as HTML, for programs that show HTML. Default: none. */
  readonly html?: string | undefined
  readonly inReplyTo?: string | undefined
  readonly messageId: string
}

/** The same for all attempts of a step: the only trace of a mail whose outcome is unknown. */
export const messageIdOf = (idempotencyKey: string, from: string): string => {
  const digest = createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 40)
  return `<tocsin.${digest}@${from.split('@').at(-1) ?? ''}>`
}

const address = /^[^@\s<>",;:\\()[\]\u0000-\u001f\u007f]{1,64}@[A-Za-z0-9.-]{1,255}$/

/** A message as it is sent. It contains no file and no address to fetch. */
export async function compose(mail: Mail): Promise<Buffer> {
  for (const one of [...mail.to, ...(mail.cc ?? [])])
    if (!address.test(one))
      throw new SkillError('bad_address', `'${plainLine(one, 320)}' is not an e-mail address`, {
        effect: 'none',
      })
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const asObject = (one: string) => ({ name: '', address: one })
  const composer = new MailComposer({
    from: asObject(mail.from),
    to: mail.to.map(asObject),
    cc: (mail.cc ?? []).map(asObject),
    subject: plainLine(mail.subject, 500),
    text: plainLines(mail.text),
    ...(mail.html !== undefined && { html: mail.html }),
    messageId: mail.messageId,
    ...(mail.inReplyTo !== undefined && { inReplyTo: mail.inReplyTo, references: mail.inReplyTo }),
    // Other programs must not answer it.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return await composer.compile().build()
}
