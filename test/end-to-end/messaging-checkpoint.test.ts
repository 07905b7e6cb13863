import { expect } from 'chai'
import { objectsAt, textAt } from '../../core/plugin/index.ts'
import type { MessagingSandbox } from '../../plugins/messaging/sandbox.ts'
import type { SandboxMessage } from '../../plugins/messaging/sandbox/messages/show-message.ts'
import { eventually } from '../support/eventually.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const ana = { email: 'ana.silva@example.com', id: 'U0ANASILVA', conversation: 'D0ANASILVA' }
const chen = { id: 'U0CHENWEI', conversation: 'D0CHENWEI' }

const playbook = `apiVersion: tocsin/v1
name: ask
on: { manual: true }
inputs:
  message: { type: string, default: 'Was this you?' }
  within: { type: duration, default: 1h }
  remind_after: { type: string, default: 30m }
steps:
  - id: confirm
    checkpoint:
      via: messaging.checkpoint
      with:
        user: ${ana.email}
        message: \${{ inputs.message }}
        labels: { mine: 'Yes, me' }
        remind_after: \${{ inputs.remind_after }}
      answers: [mine, not_mine]
      timeout: \${{ inputs.within }}
      on_timeout: no_reply
  - return: \${{ steps.confirm.output }}
`

describe('a messaging checkpoint, end to end', function () {
  let tocsin: TestTocsin

  beforeEach(async () => {
    tocsin = await startTestTocsin({ inProcess: true, sandbox: 'messaging', playbooks: { ask: playbook } })
    expect((await tocsin.connect('chat')).status).to.equal(201)
    await subscribe()
  })
  afterEach(() => tocsin?.close())

  const controls = () => (tocsin.sandbox as MessagingSandbox).controls
  const people = () => controls().callbacks
  const workspace = () => controls().workspace

  /**
   * As when the app is created from the manifest: its addresses are stored and checked with the challenge.
   */
  async function subscribe(): Promise<void> {
    const { status, body } = await tocsin.call('/connections/chat/manifest')
    expect(status).to.equal(200)
    const { event_subscriptions: events, interactivity: interactions } = body.settings
    await people().subscribe({ events: events.request_url, interactions: interactions.request_url })
  }

  /** Starts the playbook, waits until the question is posted, and returns the message that Ana sees. */
  async function ask(
    inputs: object = {},
  ): Promise<{ readonly run: string; readonly message: SandboxMessage }> {
    const before = workspace().messages.length
    const body = { organization_code: 'main', inputs }
    const started = await tocsin.call('/playbooks/ask/runs', { body })
    const message = await eventually('the question', () => workspace().messages[before])
    const run = started.body.run_uuid as string
    await eventually('the checkpoint that knows its message', async () => {
      const { data } = (await tocsin.call('/checkpoints')).body
      return data.find((row: any) => row.run_uuid === run && row.reference !== null)
    })
    return { run, message }
  }

  const runOf = async (uuid: string) => (await tocsin.call(`/runs/${uuid}`)).body
  const ended = (uuid: string) =>
    eventually('the end of the run', async () => {
      const run = await runOf(uuid)
      return ['queued', 'running', 'waiting'].includes(run.status) ? undefined : run
    })
  const buttonsOf = ({ blocks }: SandboxMessage) =>
    blocks
      .flatMap((block) => objectsAt(block, 'elements'))
      .flatMap((one) => (textAt(one, 'value') ? [one] : []))
  const settled = ({ channel, ts }: SandboxMessage) =>
    eventually('the message without its buttons', () => {
      const now = workspace().find(channel, ts)
      return now !== undefined && buttonsOf(now).length === 0
        ? textAt(objectsAt(now.blocks.at(-1), 'elements')[0], 'text')
        : undefined
    })
  const said = (channel: string, pattern: RegExp) =>
    eventually(`a word like ${pattern}`, () =>
      workspace().messages.find((message) => message.channel === channel && pattern.test(message.text)),
    )

  it('is set up from scratch: connection, manifest, app, secrets, verified address', async () => {
    const { channel_name, messaging_api_url, ...secrets } = tocsin.sandbox.settings
    await tocsin.call('/connections/chat', { method: 'DELETE' })
    const made = await tocsin.call('/connections', {
      body: {
        organization_code: 'main',
        name: 'chat',
        plugin: 'messaging',
        settings: { channel_name, messaging_api_url },
      },
    })
    expect(made.status).to.equal(201)
    const early: unknown = await subscribe().catch((error: unknown) => error)
    expect(String(early), 'before the signing secret is known').to.match(/instead of the challenge/)
    const { body: problem } = await tocsin.call('/connections/chat/authenticate', {
      method: 'POST',
      body: {},
    })
    expect(JSON.stringify(problem)).to.match(/lacks webhook_url, bot_token, signing_secret/)

    const entered = await tocsin.call('/connections/chat', { method: 'PATCH', body: { settings: secrets } })
    expect(entered.status).to.equal(200)
    const { body: authenticated } = await tocsin.call('/connections/chat/authenticate', {
      method: 'POST',
      body: {},
    })
    expect(authenticated).to.include({ status: 'ok', warning: null })
    await subscribe()
    const { run, message } = await ask()
    await people().click(message, 'Yes, me')
    expect((await ended(run)).status).to.equal('completed')
  })

  it('resumes with the pressed button', async () => {
    const { run, message } = await ask()
    expect(await people().click(message, 'Yes, me')).to.deep.equal({ status: 200, body: '' })
    const { status, output } = await ended(run)
    expect(status).to.equal('completed')
    expect(output).to.include({ answer: 'mine', by: ana.id, by_kind: 'person', by_name: ana.email })
    expect(await settled(message)).to.match(/^You answered: Yes, me$/)
  })

  it('records in the API and the audit log how the responder was identified', async () => {
    const { run, message } = await ask()
    const { data } = (await tocsin.call('/checkpoints')).body
    const { checkpoint_id: id } = data.find((row: any) => row.run_uuid === run)
    await people().click(message, 'Yes, me', chen.id)
    await people().click(message, 'Yes, me')
    await ended(run)
    const { checkpoint, given } = (await tocsin.call(`/checkpoints/${id}`)).body
    expect(checkpoint.answer).to.deep.include({
      by: ana.id,
      by_name: ana.email,
      actor: { kind: 'person', id: ana.id, name: ana.email },
    })
    expect(given.map((one: any) => [one.by, one.by_name])).to.deep.equal([
      [chen.id, null],
      [ana.id, ana.email],
    ])
    const entries = (await tocsin.call(`/audit?subject=${id}`)).body.data
    expect(entries.map((entry: any) => entry.actor)).to.deep.equal([
      { kind: 'person', id: ana.id, name: ana.email },
    ])
    const found = (await tocsin.call(`/audit?actor=${encodeURIComponent(ana.email)}`)).body.data
    expect(found).to.deep.equal(entries)
  })

  it('accepts no API key as the asked person, whatever its name', async () => {
    const made = await tocsin.call('/keys', {
      body: { name: ana.id, role: 'analyst', organization_codes: ['main'] },
    })
    const { key_id: id, key } = made.body
    const { run, message } = await ask()
    const { data } = (await tocsin.call('/checkpoints')).body
    const { checkpoint_id: asked } = data.find((row: any) => row.run_uuid === run)
    const path = `/checkpoints/${asked}/answer`
    expect((await tocsin.call(path, { body: { answer: 'mine' }, key })).status).to.equal(200)
    const actor = { kind: 'api_key', id, name: ana.id }
    const { output } = await ended(run)
    expect(output).to.include({ answer: 'mine', by: ana.id, by_kind: 'api_key' })
    expect(output).to.not.have.property('by_name')
    expect(await settled(message)).to.equal(`${ana.id} (API key) answered: Yes, me`)
    const { checkpoint, given } = (await tocsin.call(`/checkpoints/${asked}`)).body
    for (const answer of [checkpoint.answer, given[0]])
      expect(answer).to.deep.include({ by: ana.id, by_name: null, actor })
  })

  it('resumes with a written reply, in the conversation or in the thread', async () => {
    const first = await ask()
    expect(await people().reply(ana.id, ' Not_Mine ')).to.have.property('status', 200)
    expect((await ended(first.run)).output).to.include({ answer: 'not_mine', by: ana.id, text: ' Not_Mine ' })

    const [second, third] = [await ask(), await ask()]
    await people().reply(third.message, 'yes, ME')
    expect((await ended(third.run)).output).to.include({ answer: 'mine', text: 'yes, ME' })
    expect((await runOf(second.run)).status).to.equal('waiting')
  })

  it('asks which question is meant if several wait', async () => {
    const questions = [await ask(), await ask()]
    await people().reply(ana.id, 'mine')
    await said(ana.conversation, /Several questions are waiting for your answer/)
    for (const { run } of questions) expect((await runOf(run)).status).to.equal('waiting')
  })

  it('ignores other people', async () => {
    const { run, message } = await ask()
    expect(await people().click(message, 'Yes, me', chen.id)).to.have.property('status', 200)
    await said(chen.conversation, /This question is for someone else/)
    await people().reply(chen.id, 'mine')
    expect((await runOf(run)).status).to.equal('waiting')
    await people().click(message, 'not_mine')
    expect((await ended(run)).output).to.include({ answer: 'not_mine', by: ana.id })
  })

  it('accepts the first answer and tells the second responder', async () => {
    const { run, message } = await ask()
    await people().click(message, 'not_mine')
    await people().click(message, 'Yes, me')
    expect((await ended(run)).output).to.include({ answer: 'not_mine' })
    await said(ana.conversation, /already has an answer/)
  })

  it('lists the valid answers after an invalid reply and keeps waiting', async () => {
    const { run } = await ask()
    await people().reply(ana.id, 'What is this about?')
    await said(ana.conversation, /not a valid answer.*"Yes, me", "not_mine"/)
    expect((await runOf(run)).status).to.equal('waiting')
  })

  it('ignores its own messages', async () => {
    const { run, message } = await ask({ message: 'mine' })
    expect(await people().tell(message)).to.have.property('status', 200)
    expect((await runOf(run)).status).to.equal('waiting')
  })

  it('resumes after the timeout, and a late answer changes nothing', async () => {
    const { run, message } = await ask({ within: '2s' })
    expect((await ended(run)).output).to.include({ answer: 'no_reply', by: null })
    expect(await settled(message)).to.match(/^No answer in time/)
    await people().click(message, 'Yes, me')
    await said(ana.conversation, /time to answer this question has passed/)
    expect((await runOf(run)).output).to.include({ answer: 'no_reply' })
  })

  it('sends one reminder', async () => {
    const { run, message } = await ask({ remind_after: '100ms' })
    const reminder = await said(ana.conversation, /^A reminder/)
    expect(reminder).to.include({ thread_ts: message.ts, reply_broadcast: true })
    await people().reply(reminder, 'mine')
    expect((await ended(run)).output).to.include({ answer: 'mine' })
    expect(workspace().messages.filter(({ text }) => text.startsWith('A reminder'))).to.have.length(1)
  })

  it('removes the buttons if the run is cancelled', async () => {
    const { run, message } = await ask()
    await tocsin.call(`/runs/${run}/cancel`, { method: 'POST', body: {} })
    expect(await settled(message)).to.match(/withdrawn/)
  })

  it('survives a restart between the question and its answer', async () => {
    const { run, message } = await ask()
    await tocsin.restart()
    await subscribe()
    expect(workspace().messages).to.have.length(1)
    await people().click(message, 'Yes, me')
    expect((await ended(run)).output).to.include({ answer: 'mine', by: ana.id })
    expect(await settled(message)).to.match(/^You answered/)
  })

  it('can be answered over the API, and the message shows it', async () => {
    const { run, message } = await ask()
    const [checkpoint] = (await tocsin.call('/checkpoints')).body.data
    const { status } = await tocsin.call(`/checkpoints/${checkpoint.checkpoint_id}/answer`, {
      body: { answer: 'mine' },
    })
    expect(status).to.equal(200)
    await ended(run)
    expect((await runOf(run)).output, 'a key is no person').not.to.have.property('by_name')
    expect(await settled(message)).to.match(/^(?!You).* answered: Yes, me$/)
  })

  it('shows alert content as plain text', async () => {
    const { message } = await ask({ message: '<!channel> & <https://evil.example|your bank>' })
    expect(message.text).to.equal('&lt;!channel&gt; &amp; &lt;https://evil.example|your bank&gt;')
  })

  describe('refuses unauthenticated requests', () => {
    for (const [what, wrong] of [
      ['altered on its way', () => ({ alter: (body: string) => body.replace('not_mine', 'mine') })],
      ['signed long ago', () => ({ nowMs: Date.now() - 301_000 })],
      ['signed for a time to come', () => ({ nowMs: Date.now() + 330_000 })],
      ['signed with another secret', () => ({ signingSecret: 'f'.repeat(32) })],
    ] as const) {
      it(what, async () => {
        const { run, message } = await ask()
        const { status, body } = await people().click(message, 'not_mine', undefined, wrong())
        expect(status).to.be.within(400, 499)
        expect(body).not.to.match(/signature|stale|secret/i)
        expect((await runOf(run)).status).to.equal('waiting')
        await people().click(message, 'not_mine')
        expect((await ended(run)).output).to.include({ answer: 'not_mine' })
      })
    }

    it('sent with another token', async () => {
      const { run, message } = await ask()
      const { body } = await tocsin.call('/connections/chat/manifest')
      const interactions = body.settings.interactivity.request_url.replace(/.$/, (end: string) =>
        end === 'A' ? 'B' : 'A',
      )
      const events = body.settings.event_subscriptions.request_url
      await people().subscribe({ events, interactions })
      expect((await people().click(message, 'not_mine')).status).to.be.within(400, 499)
      expect((await runOf(run)).status).to.equal('waiting')
    })
  })

  it('recognizes an event by its id: a repeat is accepted without effect', async () => {
    const { run, message } = await ask()
    await people().reply(ana.id, 'hello')
    const reply = workspace().messages.find(({ text }) => text === 'hello')!
    for (const retry of [1, 2, 3]) {
      expect(await people().tell({ ...reply, text: 'mine' }, { retry })).to.have.property('status', 200)
    }
    expect((await runOf(run)).status).to.equal('waiting')
    await people().click(message, 'not_mine')
    expect((await ended(run)).output).to.include({ answer: 'not_mine' })
  })

  it('fails with the reason if the app was removed', async () => {
    await people().event({ type: 'app_uninstalled', event_ts: '1.1' })
    const connection = await eventually('a broken connection', async () => {
      const { body } = await tocsin.call('/connections/chat')
      return body.broken === null ? undefined : body
    })
    expect(connection.broken.reason).to.match(/removed from the workspace/)
    const { body } = await tocsin.call('/playbooks/ask/runs', {
      body: { organization_code: 'main', inputs: {} },
    })
    const run = await ended(body.run_uuid)
    expect(run).to.have.property('status', 'failed')
    expect(JSON.stringify(run)).to.match(/removed from the workspace/)
  })
})
