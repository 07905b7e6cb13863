import type { Duplex } from 'node:stream'
import type { Mailboxes } from './mailboxes.ts'

/** The emulated account. */
export interface MailAccount {
  readonly user: string
  readonly mailboxes: Mailboxes
  /** Of the IMAP server. */
  capabilities: string
  accepts(user: string, password: string): boolean
  /** PLAIN or XOAUTH2, with its first message in base64. */
  acceptsSasl(method: string, message: string): boolean
}

/** One connection to a server of the sandbox. */
export interface Peer {
  readonly socket: Duplex
  write(bytes: string | Buffer): void
  /** Records a command, with its tag in IMAP. False: a test answers it, or lets it wait. */
  begins(command: string, tag?: string): boolean
}

export function createAccount(
  user: string,
  secrets: { readonly password: string; readonly accessToken: string },
  mailboxes: Mailboxes,
): MailAccount {
  const accepts = (name: string, password: string): boolean => name === user && password === secrets.password
  return {
    user,
    mailboxes,
    capabilities: 'IMAP4rev1 AUTH=PLAIN AUTH=XOAUTH2 SASL-IR ID NAMESPACE SPECIAL-USE UIDPLUS MOVE',
    accepts,
    acceptsSasl(method, message) {
      const text = Buffer.from(message, 'base64').toString()
      if (method.toUpperCase() === 'XOAUTH2')
        return text === `user=${user}\x01auth=Bearer ${secrets.accessToken}\x01\x01`
      const [, name = '', password = ''] = text.split('\0')
      return method.toUpperCase() === 'PLAIN' && accepts(name, password)
    },
  }
}
