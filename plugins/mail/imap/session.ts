import { SkillError, type Effect } from 'tocsin/plugin'
import type { ImapFlow, ImapTransport, ImapTransportSocket } from 'imapflow'
import { credentialsOf, requireServer, type MailContext } from '../credentials.ts'
import { imapError } from './imap-error.ts'

/** Bytes of one message that are read; larger ones have only their headers read. */
export const maxMessage = 15_728_640

/**
 * Signs in, does the work and signs out. What the server sends is bounded.
 *
 * @param work calls `beforeChange` right before its first change
 * @throws ConnectionError, RetryableError or SkillError; never an error of the library
 */
export async function withImap<T>(
  context: MailContext,
  work: (client: ImapFlow, beforeChange: () => void) => Promise<T>,
): Promise<T> {
  requireServer(context, 'imap_host')
  const credentials = await credentialsOf(context)
  const socket = (await context.sockets.open('imap')) as ImapTransportSocket
  const { ImapFlow: Client } = await import('imapflow')
  const transport: ImapTransport = {
    connect(_options, onConnect) {
      setImmediate(onConnect)
      return socket
    },
  }
  const client = new Client({
    host: context.settings.imap_host!,
    secure: true,
    transport,
    auth: { user: context.settings.user, ...credentials },
    logger: false,
    disableAutoIdle: true,
    disableAutoEnable: true,
    clientInfo: { name: 'tocsin' },
    greetingTimeout: 15_000,
    socketTimeout: 60_000,
    maxLiteralSize: 33_554_432,
    maxLineLength: 1_048_576,
    maxResponseSize: 41_943_040,
    maxResponseTokens: 100_000,
  })
  let broken: unknown
  let effect: Effect = 'none'
  const beforeChange = (): void => {
    context.sockets.beforeChange()
    effect = 'unknown'
  }
  client.on('error', (error) => (broken ??= error))
  try {
    await client.connect()
    const result = await work(client, beforeChange)
    await client.logout().catch(() => {})
    return result
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason
    throw imapError([error, broken, socket.errored], effect)
  } finally {
    client.close()
  }
}

/** Signs in to IMAP and selects nothing. */
export const tryImap = (context: MailContext): Promise<void> => withImap(context, async () => {})

/**
 * Selects a mailbox. With `uidValidity`, it must be the same mailbox as when the UIDs were read.
 *
 * @throws SkillError `mailbox_not_found`, `message_not_found`
 */
export async function openMailbox(
  client: ImapFlow,
  path: string,
  { readOnly = false, uidValidity }: { readonly readOnly?: boolean; readonly uidValidity?: string } = {},
): Promise<string> {
  const known = path.startsWith('\\') ? await findMailbox(client, path) : path
  const mailbox = await client.mailboxOpen(known, { readOnly })
  const current = String(mailbox.uidValidity)
  if (uidValidity === undefined || uidValidity === current) return current
  throw new SkillError(
    'message_not_found',
    `the mailbox '${path}' was replaced, so its UIDs mean other messages`,
    {
      hint: 'search the message again: uid_validity has changed',
      effect: 'none',
    },
  )
}

/**
 * The path of a mailbox, which may be given by its special use, such as `\Junk`: names are translated.
 *
 * @throws SkillError `mailbox_not_found`
 */
export async function findMailbox(client: ImapFlow, wanted: string): Promise<string> {
  const all = await client.list()
  const found = all.find(({ path, specialUse }) =>
    wanted.startsWith('\\') ? specialUse?.toLowerCase() === wanted.toLowerCase() : samePath(path, wanted),
  )
  if (found !== undefined) return found.path
  throw new SkillError('mailbox_not_found', `there is no mailbox '${wanted}'`, {
    hint: 'list the mailboxes with mail.list_mailboxes; their names depend on the language of the account',
    effect: 'none',
  })
}

/** Only INBOX ignores case. */
const samePath = (path: string, wanted: string): boolean =>
  path === wanted || (/^inbox$/i.test(wanted) && /^inbox$/i.test(path))

/**
 * The library gives `false` both for a refusal and for a lost connection.
 *
 * @throws Error if the connection is lost; see `withImap`
 */
export function answered<T>(client: ImapFlow, result: T | false | undefined): T | undefined {
  if (result !== false && result !== undefined) return result
  if (!client.usable) throw new Error('the connection is lost')
  return undefined
}
