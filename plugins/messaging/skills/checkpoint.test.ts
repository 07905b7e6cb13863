import { expect } from 'chai'
import {
  defineSkill,
  objectsAt,
  textAt,
  valueAt,
  type Infer,
  type QuestionOutcome,
  type RefusalReason,
  type SkillContext,
} from 'tocsin/plugin'
import { loopbackEgress, runSkill } from 'tocsin/plugin/testing'
import { connection } from '../connection.ts'
import sandbox, { type MessagingSandbox } from '../sandbox.ts'
import { messagingFaults } from '../sandbox/faults.ts'
import { type SandboxMessage } from '../sandbox/messages/show-message.ts'
import { checkpoint } from './checkpoint.ts'

type Input = Infer<typeof checkpoint.input>
type Output = Infer<typeof checkpoint.output>
type Context = SkillContext<Infer<typeof connection.settings>>

const question: Input = {
  user: 'ana.silva@example.com',
  message: 'Sign-in from Lisbon. Was this you?',
  checkpoint_id: 'Jd8sKq0vWm3xTz5yBn7cRf2h',
  answers: ['mine', 'not_mine'],
}
const at = Date.parse('2026-01-01T08:12:00Z')

describe('messaging.checkpoint', () => {
  let running: MessagingSandbox
  beforeEach(async () => {
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  const options = () => ({ settings: running.settings, egress: loopbackEgress })
  const ask = async (changes: Partial<Input> = {}): Promise<Output> =>
    (await runSkill(checkpoint, { ...question, ...changes }, options())).output
  const codeOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'none',
      (error: unknown) => valueAt(error, 'code'),
    )
  /** Calls `settle`, `remind` or `refuse`, as the engine does later. */
  async function afterwards(work: (context: Context) => Promise<void>): Promise<void> {
    const later = defineSkill({
      name: 'later',
      title: 'Later',
      description: 'Later.',
      effect: 'read',
      examples: [],
      connection,
      input: { type: 'object' },
      output: { type: 'object' },
      run: async (_, context) => {
        await work(context)
        return {}
      },
    })
    await runSkill(later, {}, options())
  }
  const only = (): SandboxMessage => {
    expect(running.controls.workspace.messages).to.have.length(1)
    return running.controls.workspace.messages[0]!
  }
  const buttonsOf = ({ blocks }: SandboxMessage) =>
    blocks
      .flatMap((block) => objectsAt(block, 'elements'))
      .filter((element) => textAt(element, 'type') === 'button')
  const noteOf = ({ blocks }: SandboxMessage) =>
    objectsAt(blocks.at(-1), 'elements')
      .map((element) => textAt(element, 'text'))
      .join(' ')

  describe('asks', () => {
    it('by e-mail with one direct message and a button for each answer', async () => {
      const output = await ask()
      expect(output).to.deep.equal({
        asked: 'U0ANASILVA',
        asked_name: 'ana.silva@example.com',
        channel: 'D0ANASILVA',
        ts: '1767225600.000100',
        truncated: false,
      })
      const message = only()
      expect(message).to.include({ channel: output.channel, ts: output.ts })
      expect(valueAt(message.blocks[0], 'text')).to.deep.equal({
        type: 'plain_text',
        text: 'Sign-in from Lisbon. Was this you?',
        emoji: false,
      })
      expect(buttonsOf(message)).to.deep.equal([
        {
          type: 'button',
          action_id: 'tocsin_answer_0',
          text: { type: 'plain_text', text: 'mine' },
          value: 'Jd8sKq0vWm3xTz5yBn7cRf2h:mine',
        },
        {
          type: 'button',
          action_id: 'tocsin_answer_1',
          text: { type: 'plain_text', text: 'not_mine' },
          value: 'Jd8sKq0vWm3xTz5yBn7cRf2h:not_mine',
        },
      ])
      expect(noteOf(message)).to.equal('Press a button, or reply with one of: "mine", "not_mine".')
    })

    it('by user id without a lookup', async () => {
      const output = await ask({ user: 'U0BENOKORO' })
      expect(output.channel).to.equal('D0BENOKORO')
      expect(output, 'how people know them is not known').not.to.have.property('asked_name')
      expect(running.requests.map(({ path }) => path)).to.deep.equal([
        '/api/conversations.open',
        '/api/chat.postMessage',
      ])
    })

    it('with labels and styles of the buttons', async () => {
      await ask({ labels: { mine: 'Yes, me & you' }, styles: { not_mine: 'danger' } })
      const [mine, notMine] = buttonsOf(only())
      expect(valueAt(mine, 'text')).to.deep.equal({ type: 'plain_text', text: 'Yes, me & you' })
      expect(mine).not.to.have.property('style')
      expect(notMine).to.have.property('style', 'danger')
    })

    it('without mentions, links or previews from alert content', async () => {
      await ask({
        message: 'By <!channel> from <https://evil.example|your bank>',
        labels: { mine: '<!here>' },
      })
      const { text, blocks } = only()
      expect(text).to.equal('By &lt;!channel&gt; from &lt;https://evil.example|your bank&gt;')
      expect(blocks.slice(0, -1).map((block) => textAt(valueAt(block, 'text'), 'type'))).to.deep.equal([
        'plain_text',
        null,
      ])
      const sent: unknown = JSON.parse(running.requests.at(-1)!.body)
      expect(sent).to.include({ unfurl_links: false, unfurl_media: false })
    })

    it('with markup shown literally in every message about the question', async () => {
      const message = '*urgent* `rm` ~no~ _x_ :siren:\n> quoted <b> & co'
      const labels = { mine: '*yes*' }
      const output = await ask({ message, labels, answers: ['mine', 'a `b` *c*'] })
      const input = { ...question, message, labels, answers: ['mine', 'a `b` *c*'] }
      const { workspace } = running.controls
      const shown = () => workspace.messages.map((one) => workspace.show(one)).join('\n')
      expect(shown()).to.include('*urgent* `rm` ~no~ _x_ :siren:\n  > quoted <b> & co\n  Press')
      expect(shown()).to.include('"a `b` *c*"')
      await afterwards((context) => checkpoint.remind!({ input, output }, context))
      expect(shown().match(/"a `b` \*c\*"/g)).to.have.length(2)
      const outcome = { state: 'answered', value: 'mine', by: '*bo*' } as const
      await afterwards((context) => checkpoint.settle!({ input, output, outcome }, context))
      expect(shown()).to.include('*bo* answered: *yes*')
    })

    it('with a truncated long message, noted in the message and in the output', async () => {
      expect(await ask({ message: 'x<'.repeat(20_000) })).to.have.property('truncated', true)
      expect(only().text).to.have.length.within(2_900, 3_000)
      expect(only().text).to.match(/cut here; the whole text has 40000 characters/)
    })

    it('with the maximum number of answers of maximum length', async () => {
      const answers = Array.from({ length: 25 }, (_, n) => `${n}`.padEnd(500, '&'))
      await ask({ answers, labels: { [answers[0]!]: 'y'.repeat(300) } })
      expect(buttonsOf(only())).to.have.length(25)
      expect(noteOf(only())).to.equal('Press a button, or reply with one of the answers.')
    })

    it('without inherited properties as labels', async () => {
      await ask({ answers: ['constructor', 'toString'], labels: {} })
      expect(buttonsOf(only()).map((button) => textAt(valueAt(button, 'text'), 'text'))).to.deep.equal([
        'constructor',
        'toString',
      ])
    })
  })

  describe('refuses to ask', () => {
    for (const [user, code] of [
      ['nobody@example.com', 'messaging_users_not_found'],
      ['ana.silva@elsewhere.example', 'messaging_users_not_found'],
      ['dora.left@example.com', 'messaging_users_not_found'],
      ['tocsin@bots.example', 'messaging_user_disabled'],
      ['U0NOTHERE', 'messaging_user_not_found'],
      ['U0LEFTUS', 'messaging_user_disabled'],
      ['U0TOCSINBOT', 'messaging_cannot_dm_bot'],
      ['CORP\\ana', 'value_invalid'],
      ['C0CHANNEL', 'value_invalid'],
      ['', 'value_invalid'],
      ['ana silva@example.com', 'value_invalid'],
    ] as const) {
      it(`'${user}': ${code}`, async () => {
        expect(await codeOf(ask({ user }))).to.equal(code)
        expect(running.controls.workspace.messages).to.deep.equal([])
      })
    }

    it('if no signing secret can verify an answer', async () => {
      const { signing_secret: _, ...settings } = running.settings
      const work = runSkill(checkpoint, question, { settings, egress: loopbackEgress })
      expect(await codeOf(work)).to.equal('connection_incomplete')
      expect(running.requests).to.deep.equal([])
    })

    it('with a form, because it has no such input', () => {
      expect(checkpoint.input.properties).not.to.have.property('form')
    })

    it('without answers', async () => {
      expect(await codeOf(ask({ answers: [] }))).to.equal('value_invalid')
    })

    it('if the other system returns no message id', async () => {
      running.failNext({ json: { ok: true, user: {} } })
      expect(await codeOf(ask())).to.equal('bad_response')
    })
  })

  describe('after an interruption', () => {
    const verify = async (changes: Partial<Input> = {}): Promise<Output | undefined> =>
      (await runSkill(checkpoint, { ...question, ...changes }, { ...options(), purpose: 'verify' })).output

    it('finds the question that was asked', async () => {
      const output = await ask()
      await ask({ checkpoint_id: 'another-question' })
      expect(await verify()).to.deep.equal(output)
    })

    it('finds none if none was asked', async () => {
      await ask({ checkpoint_id: 'another-question' })
      await ask({ user: 'ben.okoro@example.com' })
      expect(await verify()).to.equal(undefined)
    })
  })

  describe('closes the question', () => {
    const settle = async (outcome: QuestionOutcome, changes: Partial<Input> = {}) => {
      const input = { ...question, ...changes }
      const output = await ask(changes)
      await afterwards((context) => checkpoint.settle!({ input, output, outcome }, context))
      return only()
    }
    const date = '<!date^1767255120^{date_short_pretty}, {time}|2026-01-01 08:12 UTC>'

    for (const [outcome, note] of [
      [
        { state: 'answered', value: 'mine', by: 'U0ANASILVA', byKind: 'person', at },
        `You answered: mine ${date}`,
      ],
      [
        { state: 'answered', value: 'mine', by: 'Soc <!here> key', byKind: 'api_key', at },
        `Soc <!here> key (API key) answered: mine ${date}`,
      ],
      [
        { state: 'answered', value: 'mine', by: 'U0ANASILVA', byKind: 'api_key' },
        'U0ANASILVA (API key) answered: mine',
      ],
      [{ state: 'answered', value: 'mine' }, 'You answered: mine'],
      [{ state: 'timed_out', at }, `No answer in time. ${date}`],
      [{ state: 'withdrawn' }, 'This question was withdrawn. No answer is needed.'],
      [{ state: 'decided' }, 'Other people have decided. No answer is needed.'],
    ] as const) {
      it(`without buttons: ${note}`, async () => {
        const message = await settle(outcome)
        expect(buttonsOf(message)).to.deep.equal([])
        expect(noteOf(message)).to.equal(note)
        expect(message.text).to.equal(question.message)
      })
    }

    it('with the label of the answer', async () => {
      const message = await settle(
        { state: 'answered', value: 'mine', by: 'U0ANASILVA', byKind: 'person' },
        { labels: { mine: '*Me* & <I>' } },
      )
      expect(noteOf(message)).to.equal('You answered: *Me* & <I>')
    })

    it('idempotently', async () => {
      const output = await ask()
      for (const _ of [1, 2]) {
        await afterwards((context) =>
          checkpoint.settle!({ input: question, output, outcome: { state: 'withdrawn' } }, context),
        )
      }
      expect(running.controls.workspace.messages).to.have.length(1)
    })

    it('with an error for the engine if the message was deleted', async () => {
      const output = { ...(await ask()), ts: '1.1' }
      const work = afterwards((context) =>
        checkpoint.settle!({ input: question, output, outcome: { state: 'withdrawn' } }, context),
      )
      expect(await codeOf(work)).to.equal('messaging_message_not_found')
    })
  })

  it('lists the button labels as accepted replies', async () => {
    const input = { ...question, labels: { mine: 'Yes, <it>  was me', not_mine: 'n'.repeat(100) } }
    const words = `"Yes, <it> was me", "${'n'.repeat(100)}"`
    const output = await ask(input)
    expect(noteOf(only())).to.equal(`Press a button, or reply with one of: ${words}.`)
    await afterwards((context) => checkpoint.remind!({ input, output }, context))
    const by = output.asked
    await afterwards((context) =>
      checkpoint.refuse!({ input, output }, { by, reason: 'not_an_answer' }, context),
    )
    for (const { text } of running.controls.workspace.messages.slice(1))
      expect(text).to.contain(words.replace('<it>', '&lt;it&gt;'))
  })

  it('sends reminders in the thread of the question and in the conversation', async () => {
    const output = await ask()
    await afterwards((context) => checkpoint.remind!({ input: question, output }, context))
    const reminder = running.controls.workspace.messages[1]
    expect(reminder).to.include({ channel: output.channel, thread_ts: output.ts, reply_broadcast: true })
    expect(reminder?.text).to.match(/^A reminder: .* reply here with one of: "mine", "not_mine"\.$/)
    expect(running.controls.workspace.find(output.channel, output.ts)).to.deep.equal(
      running.controls.workspace.messages[0],
    )
  })

  describe('explains a rejected answer', () => {
    const refuse = async (by: string, reason: RefusalReason) => {
      const output = await ask()
      await afterwards((context) => checkpoint.refuse!({ input: question, output }, { by, reason }, context))
      return running.controls.workspace.messages[1]
    }

    for (const [reason, word] of [
      ['late', /time to answer this question has passed/],
      ['second', /already has an answer/],
      ['decided', /have already decided/],
      ['same_person', /Each person counts once/],
      ['not_an_answer', /not a valid answer\. Press a button, or reply with one of: "mine", "not_mine"\./],
      ['ambiguous', /Several questions are waiting/],
    ] as const) {
      it(`${reason}, in the thread of the question`, async () => {
        const said = await refuse('U0ANASILVA', reason)
        expect(said).to.include({ channel: 'D0ANASILVA', thread_ts: '1767225600.000100' })
        expect(said?.text).to.match(word)
      })
    }

    it('not_asked, in the conversation with its sender', async () => {
      const said = await refuse('U0CHENWEI', 'not_asked')
      expect(said).to.include({ channel: 'D0CHENWEI' })
      expect(said?.text).to.match(/This question is for someone else/)
      expect(said?.text).not.to.include('Lisbon')
    })
  })

  describe('if the other system fails', () => {
    for (const [fault, code] of [
      ['rateLimited', 'http_429'],
      ['rateLimitedInBody', 'rate_limited'],
      ['internalError', 'messaging_internal_error'],
      ['outage', 'http_503'],
      ['signInPage', 'bad_response'],
    ] as const) {
      it(`${fault}: ${code}`, async () => {
        running.failNext(messagingFaults[fault])
        expect(await codeOf(ask())).to.equal(code)
      })
    }
  })
})
