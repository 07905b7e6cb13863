import { expect } from 'chai'
import { valueAt } from 'tocsin/plugin'
import { checkConnection, loopbackEgress, runSkill, testCases } from 'tocsin/plugin/testing'
import { connection } from './connection.ts'
import sandbox, { type Interception, type MailSandbox } from './sandbox.ts'
import { deleteMessage } from './skills/delete-message.ts'
import { flagMessage } from './skills/flag-message.ts'
import { getMessage } from './skills/get-message.ts'
import { listMailboxes } from './skills/list-mailboxes.ts'
import { moveMessage } from './skills/move-message.ts'
import { saveFile } from './skills/save-file.ts'
import { searchMessages } from './skills/search-messages.ts'

const ref = { uid: 2, uid_validity: '1767225600' }
const messageId = '<report-2@example.com>'

async function caught(work: Promise<unknown>): Promise<object> {
  return work.then(
    (output) => ({ output }),
    (error: unknown) => error as object,
  )
}

describe('mail over IMAP', () => {
  let running: MailSandbox
  const options = (more: object = {}) => ({
    settings: { ...running.settings, ...more },
    egress: loopbackEgress,
    signal: AbortSignal.timeout(30_000),
  })
  /** Answers one command in place of the server. */
  const answer = (command: string, act: (on: Interception) => void): void =>
    running.controls.intercept((on) => {
      if (on.protocol !== 'imap' || on.command !== command) return false
      act(on)
      return true
    })
  const uidsIn = (path: string) => running.controls.mailboxes.find(path)?.messages.map(({ uid }) => uid)

  beforeEach(async () => (running = await sandbox.start()))
  afterEach(() => running.close())

  for (const [what, command, act, code, hint] of [
    [
      'an account that may not read',
      'AUTHENTICATE',
      'NO [AUTHORIZATIONFAILED] not yours',
      'mail_no_access',
      /MailboxPermission/,
    ],
    [
      'an unknown refusal of the account',
      'AUTHENTICATE',
      'NO [AUTHENTICATIONFAILED] \x1b[31mno',
      'mail_refused',
      /app password/,
    ],
    ['a server that is busy', 'AUTHENTICATE', 'NO [UNAVAILABLE] later', 'unavailable', /temporary/],
    [
      'too many connections',
      'AUTHENTICATE',
      'NO [LIMIT] too many connections',
      'unavailable',
      /connections of a mailbox/,
    ],
    ['a mailbox that may not be read', 'EXAMINE', 'NO permission denied', 'imap_refused', /permissions/],
    ['a search that is refused', 'SEARCH', 'BAD what', 'imap_refused', /fewer/],
  ] as const)
    it(`explains ${what}`, async () => {
      answer(command, ({ tag, peer }) => peer.write(`${tag} ${act}\r\n`))
      const error = await caught(runSkill(searchMessages, {}, options()))
      expect(error).to.include({ code })
      expect(valueAt(error, 'hint')).to.match(hint)
      expect(valueAt(error, 'message')).to.not.match(/\p{Cc}/u)
    })

  for (const [what, command, bytes, code] of [
    ['a web server', 'greeting', 'HTTP/1.1 400 Bad Request\r\n\r\n', /bad_response|network_error/],
    ['a server that says goodbye', 'greeting', '* BYE overloaded\r\n', /network_error|unavailable/],
    ['a literal of a gigabyte', 'FETCH', '* 1 FETCH (UID 2 BODY[] {1000000000}\r\n', /response_too_large/],
    ['a line without end', 'FETCH', `* ${'x'.repeat(1_100_000)}`, /response_too_large/],
    ['a response of many parts', 'FETCH', `* 1 FETCH (${'() '.repeat(200_000)})\r\n`, /response_too_large/],
    [
      'an unreadable response',
      'FETCH',
      '* 1 FETCH (UID 2 "\r\n',
      /bad_response|network_error|message_not_found/,
    ],
  ] as const)
    it(`survives ${what}`, async () => {
      answer(command, ({ peer, tag }) => {
        peer.write(bytes)
        if (command === 'FETCH' && bytes.endsWith('\r\n')) peer.write(`${tag} OK done\r\n`)
        else if (command === 'greeting') peer.socket.end()
      })
      const error = await caught(runSkill(getMessage, ref, options()))
      expect(valueAt(error, 'code'), String(valueAt(error, 'message'))).to.match(code)
      expect(valueAt(error, 'hint')).to.be.a('string')
    })

  it('fails with a temporary error when the connection ends, and at its deadline', async () => {
    answer('SEARCH', ({ peer }) => peer.socket.destroy())
    expect(await caught(runSkill(searchMessages, {}, options()))).to.include({ code: 'network_error' })
    answer('greeting', () => {})
    const signal = AbortSignal.timeout(100)
    expect(await caught(runSkill(searchMessages, {}, { ...options(), signal }))).to.equal(signal.reason)
  })

  it('never shows the password that a server repeats', async () => {
    const password = String(running.settings['password'])
    answer('AUTHENTICATE', ({ tag, peer }) => peer.write(`${tag} NO [AUTHENTICATIONFAILED] ${password}\r\n`))
    const error = await caught(checkConnection(connection, options()))
    expect(`${String(valueAt(error, 'message'))} ${JSON.stringify(error)}`).to.not.include(password)
  })

  it('quotes search values, so that no value becomes a command', async () => {
    const hostile = '") NOT (FROM "x\r\na1 DELETE INBOX'
    for (const input of [
      { from: hostile },
      { subject: hostile },
      { text: 'Ω" OR ALL' },
      { message_id: hostile },
    ]) {
      const { output } = await runSkill(searchMessages, input, options())
      expect(output).to.deep.equal({ messages: [], total: 0, truncated: false })
    }
    expect(running.requests.map(({ path }) => path)).to.not.include('/DELETE')
  })

  it('finds at most `limit` messages, newest first, and those since a time', async () => {
    for (let count = 0; count < 300; count++)
      running.controls.mailboxes.add(
        'INBOX',
        `Subject: ${count}\r\n\r\n`,
        new Date(Date.UTC(2026, 10, 3, 0, count)),
      )
    const { output } = await runSkill(searchMessages, { limit: 3 }, options())
    expect(output).to.include({ total: 302, truncated: true })
    expect(output.messages.map(({ subject }) => subject)).to.deep.equal(['299', '298', '297'])
    const since = '2026-11-03T04:58:00Z'
    const later = await runSkill(searchMessages, { since, limit: 50 }, options())
    expect(later.output.messages.map(({ subject }) => subject)).to.deep.equal(['299', '298'])
  })

  it('reads only the headers of a message that is too large', async () => {
    const source = `From: a@example.com\r\nSubject: big\r\n\r\n${'x'.repeat(16_000_000)}`
    const uid = running.controls.mailboxes.add('INBOX', source, new Date())
    const { output } = await runSkill(getMessage, { ...ref, uid }, options())
    expect(output).to.deep.include({ headers_only: true, size: source.length })
    expect(output.message).to.include({ subject: 'big', text: '' })
    expect(await caught(runSkill(saveFile, { ...ref, uid }, options()))).to.include({
      code: 'message_too_large',
    })
  })

  it('leaves messages unread', async () => {
    await runSkill(getMessage, ref, options())
    expect([...(running.controls.mailboxes.find('INBOX')?.messages[1]?.flags ?? [])]).to.deep.equal([])
  })

  for (const skill of [getMessage, saveFile, flagMessage, moveMessage, deleteMessage])
    it(`${skill.name} refuses a UID of a mailbox that was replaced`, async () => {
      const input = { ...ref, uid_validity: '7', flag: 'read', to: 'Handled' } as const
      const { flag: _, to: __, ...read } = input
      const given =
        skill === flagMessage
          ? { ...read, flag: 'read' }
          : skill === moveMessage
            ? { ...read, to: 'Handled' }
            : read
      const error = await caught(runSkill(skill as typeof getMessage, given as typeof ref, options()))
      expect(error).to.include({ code: 'message_not_found' })
      expect(valueAt(error, 'hint')).to.match(/uid_validity has changed/)
      expect(uidsIn('INBOX')).to.deep.equal([1, 2])
    })

  it('says which mailbox or message is missing', async () => {
    for (const input of [{ mailbox: 'Nope' }, { mailbox: '\\Archive' }])
      expect(await caught(runSkill(searchMessages, input, options()))).to.include({
        code: 'mailbox_not_found',
      })
    const nowhere = { ...ref, to: 'Nope' }
    expect(await caught(runSkill(moveMessage, nowhere, options()))).to.include({ code: 'mailbox_not_found' })
    const gone = { ...ref, uid: 99 }
    const missing = { code: 'message_not_found' }
    expect(await caught(runSkill(getMessage, gone, options()))).to.include(missing)
    expect(await caught(runSkill(flagMessage, { ...gone, flag: 'read' }, options()))).to.include(missing)
    expect(await caught(runSkill(moveMessage, { ...gone, to: 'Handled' }, options()))).to.include(missing)
  })

  it('saves an attachment of an inner message as a file of the case', async () => {
    const { output } = await runSkill(getMessage, ref, options())
    const sha256 = output.inner[0]?.message?.attachments[0]?.sha256 ?? ''
    const cases = testCases()
    const saved = await runSkill(saveFile, { ...ref, sha256: sha256.toUpperCase() }, { ...options(), cases })
    expect(saved.output).to.deep.equal({ case_id: 'DEMO-1', name: 'invoice.pdf.exe', size: 3, sha256 })
    const unknown = { ...ref, sha256: '0'.repeat(64) }
    expect(await caught(runSkill(saveFile, unknown, options()))).to.include({ code: 'attachment_not_found' })
  })

  describe('move_message after an interruption', () => {
    const input = { ...ref, to: '\\Junk', message_id: messageId }
    const verify = (given: object = input) =>
      caught(runSkill(moveMessage, given as typeof input, { ...options(), purpose: 'verify' }))

    it('has an unknown outcome if the connection ended meanwhile', async () => {
      answer('MOVE', ({ peer }) => peer.socket.destroy())
      const error = await caught(runSkill(moveMessage, input, options()))
      expect(valueAt(valueAt(error, 'details'), 'effect')).to.equal('unknown')
      expect(valueAt(await verify(), 'output')).to.deep.include({ output: undefined })
    })

    it('has no effect if it was refused, or the connection ended before', async () => {
      answer('MOVE', ({ peer, tag }) => peer.write(`${tag} NO not now\r\n`))
      const refused = await caught(runSkill(moveMessage, input, options()))
      expect(valueAt(valueAt(refused, 'details'), 'effect')).to.equal('none')
      answer('SELECT', ({ peer }) => peer.socket.destroy())
      const early = await caught(runSkill(moveMessage, input, options()))
      expect(valueAt(valueAt(early, 'details'), 'effect')).to.equal('none')
      expect(uidsIn('INBOX')).to.deep.equal([1, 2])
    })

    it('finds the moved message in the target', async () => {
      const { output } = await runSkill(moveMessage, input, options())
      expect(output).to.deep.equal({ mailbox: 'Spam', uid: 1, uid_validity: '1767225604' })
      expect(valueAt(valueAt(await verify(), 'output'), 'output')).to.deep.equal(output)
    })

    it('is left to a person if the message cannot be found', async () => {
      await runSkill(moveMessage, input, options())
      const { message_id: _, ...without } = input
      for (const given of [without, { ...input, message_id: '<other@example.com>' }]) {
        const error = await verify(given)
        expect(error).to.include({ code: 'not_verifiable' })
        expect(valueAt(valueAt(error, 'details'), 'effect')).to.equal('unknown')
      }
    })
  })

  it('removes no message of others where a server cannot remove a single one', async () => {
    running.controls.setCapabilities('IMAP4rev1 AUTH=PLAIN SASL-IR')
    const deleted = await caught(runSkill(deleteMessage, ref, options()))
    expect(deleted).to.include({ code: 'not_supported' })
    const moved = await caught(runSkill(moveMessage, { ...ref, to: 'Handled' }, options()))
    expect(moved).to.include({ code: 'not_supported' })
    expect(uidsIn('INBOX')).to.deep.equal([1, 2])
  })

  it('lists at most 1,000 mailboxes, with plain names', async () => {
    answer('LIST', ({ peer, tag }) => {
      const all = Array.from({ length: 1_200 }, (_, at) => `* LIST (\\HasNoChildren) "/" "box\x07 ${at}"\r\n`)
      peer.write(`${all.join('')}${tag} OK done\r\n`)
    })
    const { output } = await runSkill(listMailboxes, {}, options())
    expect(output.mailboxes).to.have.length(1_000)
    expect(output.truncated).to.equal(true)
    expect(JSON.stringify(output)).to.not.include('\\u0007')
  })

  it('reports missing settings of the connection', async () => {
    const { imap_host: _, password: __, ...rest } = running.settings
    const without = { ...options(), settings: rest }
    expect(valueAt(await caught(runSkill(listMailboxes, {}, without)), 'hint')).to.equal(
      'enter imap_host in the connection',
    )
    const error = await caught(
      checkConnection(connection, { ...without, settings: { ...rest, imap_host: '127.0.0.1' } }),
    )
    expect(valueAt(error, 'message')).to.equal('the connection cannot sign in')
    const { smtp_host: ___, ...nothing } = rest
    expect(await caught(checkConnection(connection, { ...without, settings: nothing }))).to.include({
      code: 'connection_incomplete',
    })
  })

  it('signs in with an access token', async () => {
    const oauth = {
      oauth_token_url: 'https://login.example.com/t/oauth2/v2.0/token',
      oauth_client_id: 'id',
      oauth_client_secret: 'client-secret',
    }
    const token = 'sandbox-access-token'
    expect((await checkConnection(connection, { ...options(oauth), token })).account).to.equal(
      'mailbox phishing@example.com',
    )
    const error = await caught(checkConnection(connection, { ...options(oauth), token: 'another-token' }))
    expect(error).to.include({ code: 'mail_refused' })
  })
})
