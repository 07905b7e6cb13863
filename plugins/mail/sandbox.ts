import type { RunningSandbox, Sandbox, SandboxCommand, SandboxOptions, SandboxRequest } from 'tocsin/plugin'
import { serveTls } from 'tocsin/plugin/testing'
import { createAccount, type Peer } from './sandbox/account.ts'
import { certificate, certificateKey } from './sandbox/certificate.ts'
import { serveImap } from './sandbox/imap-server.ts'
import { headerField, Mailboxes } from './sandbox/mailboxes.ts'
import { newsletter, reportMail, reportOf } from './sandbox/sample-mail.ts'
import { serveSmtp, type Delivery } from './sandbox/smtp-server.ts'

const user = 'phishing@example.com'
const secrets = { password: 'sandbox-app-password', accessToken: 'sandbox-access-token' }

/**
 * A test's handler for a command on one connection, in place of the server. Return true if it was handled.
 */
export type Intercept = (on: Interception) => boolean

export interface Interception {
  readonly protocol: 'imap' | 'smtp'
  /** Such as `SELECT`; `greeting` and `MESSAGE` stand for the start and for the end of a sent message. */
  readonly command: string
  /** Of an IMAP command. */
  readonly tag: string
  readonly peer: Peer
}

/** For tests. */
export interface MailControls {
  readonly mailboxes: Mailboxes
  /** Accepted mail, oldest first. */
  readonly deliveries: readonly Delivery[]
  /** Replaces the capabilities of the IMAP server. */
  setCapabilities(text: string): void
  /** Undefined ends it. */
  intercept(by: Intercept | undefined): void
}

export interface MailSandbox extends RunningSandbox {
  readonly controls: MailControls
}

export interface StartableMailSandbox extends Sandbox {
  start(options?: SandboxOptions): Promise<MailSandbox>
}

/** An account with IMAP and SMTP, both with immediate TLS. A copy of sent mail is in `\Sent`. */
const sandbox: StartableMailSandbox = {
  async start({ port = 0, onAnswer, onNews } = {}) {
    const mailboxes = new Mailboxes()
    mailboxes.add('INBOX', newsletter, new Date('2026-11-01T07:00:10Z'), ['\\Seen'])
    mailboxes.add('INBOX', reportMail, new Date('2026-11-02T09:15:00Z'))
    const account = createAccount(user, secrets, mailboxes)
    const requests: SandboxRequest[] = []
    const deliveries: Delivery[] = []
    let intercept: Intercept | undefined
    const deliver = (mail: Delivery): void => {
      deliveries.push(mail)
      mailboxes.add('Gesendet', mail.source, new Date(), ['\\Seen'])
      const subject = headerField(mail.source, 'subject')
      onNews?.(`mail to ${mail.to.join(', ')}: ${subject}\n${mail.source.toString()}`)
    }
    const serve = (protocol: 'imap' | 'smtp', at: number) =>
      serveTls({ port: at, cert: certificate, key: certificateKey }, (socket) => {
        const peer: Peer = {
          socket,
          write: (bytes) => void (socket.writable && socket.write(bytes)),
          begins(command, tag = '') {
            const request = { method: protocol.toUpperCase(), path: `/${command}`, headers: {}, body: '' }
            requests.push(request)
            const isTaken = intercept?.({ protocol, command, tag, peer }) ?? false
            onAnswer?.(request, isTaken ? 'intercepted' : 200)
            return !isTaken
          },
        }
        if (protocol === 'imap') serveImap(peer, account)
        else serveSmtp(peer, account, deliver)
      })
    const [imap, smtp] = [await serve('imap', port), await serve('smtp', 0)]
    return {
      url: `https://127.0.0.1:${imap.port}`,
      settings: {
        user,
        password: secrets.password,
        from_address: user,
        imap_host: '127.0.0.1',
        imap_port: imap.port,
        smtp_host: '127.0.0.1',
        smtp_port: smtp.port,
        link_secret: 'sandbox-link-secret-0123456789abcdef',
        authserv_id: 'mx.example.com',
        network_ca: certificate,
      },
      requests,
      commands: commandsOf(mailboxes),
      controls: {
        mailboxes,
        deliveries,
        setCapabilities: (text) => (account.capabilities = text),
        intercept: (by) => (intercept = by),
      },
      async close() {
        await Promise.all([imap.close(), smtp.close()])
      },
    }
  },
}

export default sandbox

function commandsOf(mailboxes: Mailboxes): readonly SandboxCommand[] {
  let count = 0
  return [
    {
      usage: 'report <from> <subject>',
      description: 'a person reports a phishing message',
      run(from = '', subject = '') {
        if (!from.includes('@')) throw new Error(`'${from}' is not an address`)
        const id = `report-${++count}-${Date.now()}`
        return `INBOX has it, UID ${mailboxes.add('INBOX', reportOf(from, subject, id), new Date())}`
      },
    },
    {
      usage: 'list [mailbox]',
      description: 'the messages of a mailbox',
      run(path = '') {
        const mailbox = mailboxes.find(path || 'INBOX')
        if (mailbox === undefined) throw new Error(`there is no mailbox ${path}`)
        const shown = mailbox.messages.map(
          ({ uid, source, flags }) => `${uid} ${[...flags].join(' ')} ${headerField(source, 'subject')}`,
        )
        return shown.length === 0 ? 'empty' : shown.join('\n')
      },
    },
  ]
}
