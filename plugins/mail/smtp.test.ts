import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { SMTPServer } from 'smtp-server'
import { valueAt } from 'tocsin/plugin'
import { checkConnection, loopbackEgress, runSkill } from 'tocsin/plugin/testing'
import { connection } from './connection.ts'
import sandbox, { type Interception, type MailSandbox } from './sandbox.ts'
import { certificate, certificateKey } from './sandbox/certificate.ts'
import { sendMail } from './skills/send-mail.ts'

const mail = { to: ['ana@example.com'], subject: 'Hello', text: 'Hello' }

async function caught(work: Promise<unknown>): Promise<object> {
  return work.then(
    (output) => ({ output }),
    (error: unknown) => error as object,
  )
}
const effectOf = (error: unknown): unknown => valueAt(valueAt(error, 'details'), 'effect')

describe('mail over SMTP', () => {
  let running: MailSandbox
  const options = (more: object = {}) => ({
    settings: { ...running.settings, ...more },
    egress: loopbackEgress,
    signal: AbortSignal.timeout(30_000),
  })
  const answer = (command: string, act: (on: Interception) => void): void =>
    running.controls.intercept((on) => {
      if (on.protocol !== 'smtp' || on.command !== command) return false
      act(on)
      return true
    })
  const sources = () => running.controls.deliveries.map(({ source }) => source.toString())

  beforeEach(async () => (running = await sandbox.start()))
  afterEach(() => running.close())

  for (const [what, command, line, code, hint] of [
    [
      'a wrong password',
      'AUTH',
      '535 5.7.8 Username and Password not accepted',
      'mail_refused',
      /check user and password/,
    ],
    [
      'disabled sign-in at Microsoft 365',
      'AUTH',
      '535 5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled',
      'mail_refused',
      /allow authenticated SMTP/,
    ],
    [
      'a sign-in that fails for now',
      'AUTH',
      '454 4.7.0 Temporary authentication failure',
      'unavailable',
      /temporary/,
    ],
    ['a server that is busy', 'greeting', '421 4.3.2 too many connections', 'unavailable', /temporary/],
    ['a web server', 'greeting', 'HTTP/1.1 400 Bad Request', 'bad_response', /smtp_port/],
    [
      'an address that may not send',
      'MAIL',
      '553 5.7.1 not your address',
      'recipients_refused',
      /from_address/,
    ],
    ['greylisting', 'RCPT', '451 4.7.1 try later', 'unavailable', /temporary/],
    ['refused recipients', 'RCPT', '550 5.1.1 no \x1b[31msuch user', 'recipients_refused', /addresses/],
    ['a refusal to take the message', 'DATA', '554 5.7.1 blocked', 'smtp_refused', /addresses/],
    ['a message that looks like spam', 'MESSAGE', '554 5.7.1 spam', 'smtp_refused', /addresses/],
    ['a server that is full', 'MESSAGE', '452 4.3.1 no space', 'unavailable', /temporary/],
  ] as const)
    it(`explains ${what}, and that nothing was sent`, async () => {
      answer(command, ({ peer }) => peer.write(`${line}\r\n`))
      const error = await caught(runSkill(sendMail, mail, options()))
      expect(error, String(valueAt(error, 'message'))).to.include({ code })
      expect(valueAt(error, 'hint')).to.match(hint)
      expect(valueAt(error, 'message')).to.not.match(/\p{Cc}/u)
      expect(effectOf(error)).to.equal('none')
    })

  for (const [command, effect] of [
    ['greeting', 'none'],
    ['EHLO', 'none'],
    ['AUTH', 'none'],
    ['RCPT', 'none'],
    ['DATA', 'none'],
    // The server receives the whole message, and disconnects before it confirms.
    ['MESSAGE', 'unknown'],
  ] as const)
    it(`reports the effect of a connection that ends at ${command}: ${effect}`, async () => {
      answer(command, ({ peer }) => peer.socket.destroy())
      const error = await caught(runSkill(sendMail, mail, options()))
      expect(error).to.include({ code: 'network_error' })
      expect(effectOf(error)).to.equal(effect)
    })

  it('ends at its deadline', async () => {
    answer('greeting', () => {})
    const signal = AbortSignal.timeout(100)
    expect(await caught(runSkill(sendMail, mail, { ...options(), signal }))).to.equal(signal.reason)
  })

  it('never shows the password that a server repeats', async () => {
    const password = String(running.settings['password'])
    const coded = Buffer.from(`\0phishing@example.com\0${password}`).toString('base64')
    answer('AUTH', ({ peer }) => peer.write(`535 ${password} ${coded}\r\n`))
    const error = await caught(checkConnection(connection, options()))
    const shown = `${String(valueAt(error, 'message'))} ${JSON.stringify(error)}`
    expect(shown).to.not.include(password).and.not.include(coded)
  })

  it('sends to the recipients that are accepted, and names the others', async () => {
    const to = ['ana@example.com', 'nobody@refused.example']
    const { output } = await runSkill(sendMail, { ...mail, to, cc: ['kim@example.com'] }, options())
    expect(output).to.deep.include({
      accepted: ['ana@example.com', 'kim@example.com'],
      rejected: ['nobody@refused.example'],
    })
    expect(running.controls.deliveries[0]?.to).to.deep.equal(['ana@example.com', 'kim@example.com'])
  })

  it('lets no value become a header, a recipient or the end of the message', async () => {
    const subject = 'Hi\r\nBcc: eve@example.com\r\n\r\nbody'
    await runSkill(
      sendMail,
      { ...mail, subject, text: 'a\r\n.\r\nMAIL FROM:<eve@example.com>\r\n..b' },
      options(),
    )
    const [source = ''] = sources()
    expect(source).to.match(/^Subject: Hi Bcc: eve@example.com body\r$/m)
    expect(source).to.include('a\r\n.\r\nMAIL FROM:<eve@example.com>\r\n..b')
    expect(running.controls.deliveries).to.have.length(1)
    for (const to of [
      'a@b.example>\r\nRCPT TO:<eve@example.com',
      'a@b.example, eve@example.com',
      'Eve <eve@example.com>',
    ])
      expect(
        valueAt(await caught(runSkill(sendMail, { ...mail, to: [to] }, options())), 'code'),
        to,
      ).to.be.oneOf(['value_invalid', 'bad_address'])
  })

  it('has the same Message-ID in every attempt, and asks other programs not to answer', async () => {
    const first = await runSkill(sendMail, mail, options())
    const again = await runSkill(sendMail, mail, options())
    expect(first.output.message_id).to.equal(again.output.message_id)
    const other = await runSkill(sendMail, mail, { ...options(), run: { id: 'another-run' } })
    expect(other.output.message_id).to.not.equal(first.output.message_id)
    for (const source of sources()) expect(source).to.match(/^Auto-Submitted: auto-generated\r$/m)
  })

  it('reads no file and fetches no address', async () => {
    const path = import.meta.filename
    const attack = { ...mail, text: `{"path":"${path}"} https://127.0.0.1:1/`, subject: `file://${path}` }
    await runSkill(sendMail, attack, options())
    expect(sources()[0]).to.not.include(readFileSync(path, 'utf8').slice(0, 40))
  })

  describe('with another implementation', () => {
    it('signs in with a password and with a token, and sends the given message', async () => {
      const signedIn: unknown[] = []
      const received: string[] = []
      const server = new SMTPServer({
        secure: true,
        cert: certificate,
        key: certificateKey,
        authMethods: ['PLAIN', 'LOGIN', 'XOAUTH2'],
        onAuth({ method, username, password, accessToken }, _session, done) {
          signedIn.push([method, username, password ?? accessToken])
          done(null, { user: username ?? '' })
        },
        onData(stream, _session, done) {
          void text(stream)
            .then((all) => received.push(all))
            .then(() => done())
        },
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      try {
        const { port } = server.server.address() as { readonly port: number }
        const given = { ...mail, text: `${'é'.repeat(3_000)}\n.\nend`, in_reply_to: '<report-2@example.com>' }
        await runSkill(sendMail, given, options({ smtp_port: port }))
        const oauth = {
          oauth_token_url: 'https://login.example.com/t/token',
          oauth_client_id: 'id',
          oauth_client_secret: 'client-secret',
        }
        await runSkill(sendMail, mail, {
          ...options({ smtp_port: port, ...oauth }),
          token: 'the-access-token',
        })
        expect(signedIn).to.deep.equal([
          ['PLAIN', 'phishing@example.com', 'sandbox-app-password'],
          ['XOAUTH2', 'phishing@example.com', 'the-access-token'],
        ])
        expect(received).to.have.length(2)
        expect(received[0])
          .to.match(/^In-Reply-To: <report-2@example.com>\r$/m)
          .and.match(/^References: <report-2/m)
        const lines = received[0]?.split('\r\n') ?? []
        expect(Math.max(...lines.map(({ length }) => length)), 'longest line').to.be.below(999)
      } finally {
        await new Promise<void>((resolve) => server.close(resolve))
      }
    })
  })
})
