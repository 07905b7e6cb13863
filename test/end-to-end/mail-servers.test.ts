import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { SMTPServer } from 'smtp-server'
import { runSkill } from '../../core/plugin/testing/index.ts'
import type { MailSandbox } from '../../plugins/mail/sandbox.ts'
import { createAccount } from '../../plugins/mail/sandbox/account.ts'
import { certificate, certificateKey } from '../../plugins/mail/sandbox/certificate.ts'
import { serveImap } from '../../plugins/mail/sandbox/imap-server.ts'
import { Mailboxes } from '../../plugins/mail/sandbox/mailboxes.ts'
import { searchMessages } from '../../plugins/mail/skills/search-messages.ts'
import { sendMail } from '../../plugins/mail/skills/send-mail.ts'
import { createEgress, type ClosableEgress } from '../../server/egress/egress.ts'
import { eventually } from '../support/eventually.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const tls = { cert: certificate, key: certificateKey }
const account = { user: 'phishing@example.com', password: 'sandbox-app-password' }
const settings = {
  ...account,
  from_address: account.user,
  network_ca: certificate,
  imap_host: '127.0.0.1',
  imap_tls: 'starttls',
  smtp_host: '127.0.0.1',
  smtp_tls: 'starttls',
}

describe('mail after STARTTLS, through the egress of the server', () => {
  let egress: ClosableEgress
  const closing: (() => void)[] = []
  before(() => (egress = createEgress({ allowPrivate: ['127.0.0.1'] })))
  after(() => egress.close())
  afterEach(() => {
    for (const close of closing.splice(0)) close()
  })

  it('reads over IMAP', async () => {
    const mailboxes = new Mailboxes()
    mailboxes.add('INBOX', 'Subject: after STARTTLS\r\n\r\n', new Date())
    const owner = createAccount(account.user, { ...account, accessToken: '' }, mailboxes)
    const clear: string[] = []
    const server: Server = createServer((socket: Socket) => {
      socket.on('error', () => {})
      socket.write('* OK clear text\r\n')
      socket.once('data', (line) => {
        clear.push(line.toString())
        socket.write('t1 OK go\r\n')
        const secure = new TLSSocket(socket, { ...tls, isServer: true })
        secure.on('error', () => {})
        closing.push(() => secure.destroy())
        // The server sends its greeting only once, before TLS.
        const begins = (command: string): boolean => command !== 'greeting'
        serveImap({ socket: secure, write: (bytes) => void secure.write(bytes), begins }, owner)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => server.close())
    const { port } = server.address() as AddressInfo
    const { output } = await runSkill(
      searchMessages,
      {},
      { settings: { ...settings, imap_port: port }, egress },
    )
    expect(output.messages.map(({ subject }) => subject)).to.deep.equal(['after STARTTLS'])
    expect(clear).to.deep.equal(['t1 STARTTLS\r\n'])
  })

  it('sends over SMTP', async () => {
    const received: (readonly [boolean, string])[] = []
    const server = new SMTPServer({
      ...tls,
      onAuth: ({ username }, _session, done) => done(null, { user: username ?? '' }),
      onData(stream, session, done) {
        void text(stream)
          .then((all) => received.push([session.secure, all]))
          .then(() => done())
      },
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => server.close())
    const { port } = server.server.address() as AddressInfo
    const mail = { to: ['ana@example.com'], subject: 'after STARTTLS', text: 'x' }
    await runSkill(sendMail, mail, { settings: { ...settings, smtp_port: port }, egress })
    expect(received).to.have.length(1)
    expect(received[0]?.[0], 'encrypted').to.equal(true)
    expect(received[0]?.[1]).to.include('Subject: after STARTTLS')
  })
})

const tell = `apiVersion: tocsin/v1
name: tell
on: { manual: true }
steps:
  - id: mail
    uses: mail.send_mail
    with: { to: [ana@example.com], subject: Hello, text: Hello }
    retry: { backoff: 100ms }
`

describe('a mail whose outcome is unknown', function () {
  this.timeout(60_000)
  let tocsin: TestTocsin
  const controls = () => (tocsin.sandbox as MailSandbox).controls

  before(async () => {
    tocsin = await startTestTocsin({
      inProcess: true,
      sandbox: 'mail',
      playbooks: { tell },
      env: { TOCSIN_ALLOW_PRIVATE_EGRESS: '127.0.0.1' },
    })
    expect((await tocsin.connect('mailbox')).status).to.equal(201)
  })
  after(() => tocsin?.close())

  /** Starts the playbook, and waits until its run has this status. */
  async function run(status: string) {
    const started = await tocsin.call('/playbooks/tell/runs', {
      body: { organization_code: 'main', inputs: {} },
    })
    const uuid = started.body.run_uuid as string
    return await eventually(`the run that is ${status}`, async () => {
      const { body } = await tocsin.call(`/runs/${uuid}`)
      return body.status === status ? uuid : undefined
    })
  }

  it('waits for a person, and is not sent again', async () => {
    let messages = 0
    controls().intercept(({ protocol, command, peer }) => {
      if (protocol !== 'smtp' || command !== 'MESSAGE') return false
      messages++
      peer.socket.destroy()
      return true
    })
    const uuid = await run('waiting')
    const steps = (await tocsin.call(`/runs/${uuid}/steps`)).body
    expect(JSON.stringify(steps)).to.include('unknown').and.include('network_error')
    expect(messages).to.equal(1)
  })

  it('is sent again after a connection that ended before the message', async () => {
    let refused = 0
    controls().intercept(({ protocol, command, peer }) => {
      if (protocol !== 'smtp' || command !== 'RCPT' || refused > 0) return false
      refused++
      peer.socket.destroy()
      return true
    })
    const before = controls().deliveries.length
    await run('completed')
    expect([refused, controls().deliveries.length - before]).to.deep.equal([1, 1])
  })
})
