import { expect } from 'chai'
import {
  loopbackEgress,
  runSkill,
  serveSandbox,
  type SandboxReply,
  type ServedSandbox,
  webhookRequest,
} from 'tocsin/plugin/testing'
import { connection } from './connection.ts'
import sandbox, { type MessagingSandbox } from './sandbox.ts'
import { signingSecret } from './sandbox/messages/callbacks.ts'
import { botToken } from './sandbox/tokens.ts'
import { checkpoint } from './skills/checkpoint.ts'

const question = {
  user: 'ana.silva@example.com',
  message: 'Was this you?',
  checkpoint_id: 'Jd8sKq0vWm3xTz5yBn7cRf2h',
  answers: ['mine', 'not_mine'],
}

describe('the messaging sandbox', () => {
  let running: MessagingSandbox
  beforeEach(async () => {
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  const post = async (method: string, args: object, headers: Readonly<Record<string, string>> = {}) => {
    const { status, body } = await loopbackEgress.send({
      method: 'POST',
      url: `${running.url}/api/${method}`,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        authorization: `Bearer ${botToken}`,
        ...headers,
      },
      body: JSON.stringify(args),
      signal: AbortSignal.timeout(30_000),
    })
    return { status, ...(JSON.parse(body) as object) }
  }
  const button = { type: 'button', action_id: 'a', text: { type: 'plain_text', text: 'x' }, value: 'v' }
  const D = 'D0ANASILVA'

  for (const [method, args, error] of [
    ['users.lookupByEmail', { email: 'ana.silva@example.com' }, 'invalid_arguments'],
    ['conversations.open', {}, 'users_list_not_supplied'],
    ['chat.postMessage', { channel: 'C1', text: 'x' }, 'channel_not_found'],
    ['chat.postMessage', { channel: 'U0ANASILVA', text: 'x' }, 'channel_not_found'],
    ['chat.postMessage', { channel: D }, 'no_text'],
    ['chat.postMessage', { channel: D, text: 'x'.repeat(40_001) }, 'msg_too_long'],
    [
      'chat.postMessage',
      { channel: D, blocks: [{ type: 'section', text: { text: 'x'.repeat(3_001) } }] },
      'invalid_blocks',
    ],
    ['chat.postMessage', { channel: D, blocks: [{ type: 'actions', elements: [] }] }, 'invalid_blocks'],
    [
      'chat.postMessage',
      { channel: D, blocks: [{ type: 'actions', elements: [button, button] }] },
      'invalid_blocks',
    ],
    [
      'chat.postMessage',
      { channel: D, blocks: [{ type: 'actions', elements: [{ ...button, value: 'v'.repeat(2_001) }] }] },
      'invalid_blocks',
    ],
    ['chat.update', { channel: D, ts: '1.1', text: 'x' }, 'message_not_found'],
  ] as const) {
    it(`refuses like the vendor: ${method}, ${error}`, async () => {
      expect(await post(method, args)).to.include({ status: 200, ok: false, error })
    })
  }

  it('refuses calls without a token, and warns about a missing charset', async () => {
    expect(await post('auth.test', {}, { authorization: 'Bearer ' })).to.include({ error: 'invalid_auth' })
    expect(await post('auth.test', {}, { 'content-type': 'application/json' })).to.include({
      ok: true,
      warning: 'missing_charset',
    })
  })

  it('keeps the blocks of a message updated without blocks, as the vendor does', async () => {
    await post('chat.postMessage', {
      channel: D,
      text: 'one',
      blocks: [{ type: 'actions', elements: [button] }],
    })
    const [{ ts, blocks } = { ts: '', blocks: [] }] = running.controls.workspace.messages
    await post('chat.update', { channel: D, ts, text: 'two' })
    expect(running.controls.workspace.messages).to.deep.include({
      ...running.controls.workspace.messages[0]!,
      text: 'two',
      blocks,
    })
    await post('chat.update', { channel: D, ts, text: 'three', blocks: [] })
    expect(running.controls.workspace.messages[0]?.blocks).to.deep.equal([])
  })

  describe('callbacks to an app', () => {
    let app: ServedSandbox
    let results: unknown[]
    beforeEach(async () => {
      results = []
      // An app that uses the plugin as the platform does.
      app = await serveSandbox(
        () => (call) => {
          const request = webhookRequest(call.body, { headers: call.headers })
          const settings = { ...running.settings, signing_secret: { reveal: () => signingSecret } }
          try {
            const result = connection.inbound![call.pathname.slice(1)]!(request, settings as never)
            results.push(result)
            return { ...(result.reply as SandboxReply | undefined) }
          } catch (error) {
            return { status: 401, text: String(error) }
          }
        },
        (url) => ({ url }),
      ).start()
      await running.controls.callbacks.subscribe({
        events: `${app.url}/events`,
        interactions: `${app.url}/interactions`,
      })
    })
    afterEach(() => app.close())

    const ask = () => runSkill(checkpoint, question, { settings: running.settings, egress: loopbackEgress })

    it('start with a challenge that the app returns', () => {
      expect(results).to.have.length(1)
    })

    it('are refused for an address that fails the challenge', async () => {
      app.failNext({ text: 'hello' })
      const urls = { events: `${app.url}/events`, interactions: `${app.url}/interactions` }
      const error: unknown = await running.controls.callbacks
        .subscribe(urls)
        .catch((reason: unknown) => reason)
      expect(String(error)).to.match(/answered 200 hello instead of the challenge/)
    })

    it('are sent when a button is pressed', async () => {
      await ask()
      const reply = await running.controls.callbacks.click(
        running.controls.workspace.messages[0]!,
        'not_mine',
      )
      expect(reply).to.deep.equal({ status: 200, body: '' })
      expect(results[1]).to.deep.include({
        answers: [{ checkpointId: question.checkpoint_id, value: 'not_mine', by: 'U0ANASILVA' }],
      })
    })

    it('are sent when someone else presses it', async () => {
      await ask()
      await running.controls.callbacks.click(running.controls.workspace.messages[0]!, 'mine', 'U0CHENWEI')
      expect(results[1]).to.have.nested.property('answers[0].by', 'U0CHENWEI')
    })

    it('are sent for messages in the conversation or in a thread', async () => {
      const { output } = await ask()
      await running.controls.callbacks.reply(output.asked, 'Mine')
      await running.controls.callbacks.reply(running.controls.workspace.messages[0]!, 'mine')
      const { channel, ts } = output
      expect(results[1]).to.deep.include({
        answers: [{ by: output.asked, text: 'Mine', message: { channel } }],
      })
      expect(results[2]).to.deep.include({
        answers: [{ by: output.asked, text: 'mine', message: { channel, ts } }],
      })
    })

    it('include the bot’s own messages', async () => {
      await ask()
      await running.controls.callbacks.tell(running.controls.workspace.messages[0]!)
      expect(results[1]).to.have.all.keys('dedupeKey', 'dedupeMs')
    })

    it('are repeated with the same id and a new signature', async () => {
      const { output } = await ask()
      await running.controls.callbacks.reply(output.asked, 'mine')
      await running.controls.callbacks.tell(running.controls.workspace.messages[1]!, { retry: 1 })
      expect(results[2]).to.deep.equal(results[1])
    })

    it('can be altered, stale, or signed with another secret', async () => {
      await ask()
      const [message] = running.controls.workspace.messages
      for (const wrong of [
        { alter: (body: string) => body.replace('not_mine', 'mine') },
        { nowMs: Date.now() - 301_000 },
        { signingSecret: 'f'.repeat(32) },
      ]) {
        expect(
          await running.controls.callbacks.click(message!, 'not_mine', undefined, wrong),
        ).to.have.property('status', 401)
      }
      expect(results).to.have.length(1)
    })

    it('need an existing button', async () => {
      await ask()
      expect(() =>
        running.controls.callbacks.click(running.controls.workspace.messages[0]!, 'maybe'),
      ).to.throw("no button 'maybe'")
    })
  })
})
