import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import { createInbound, type InboundPost } from '../../core/inbound/inbound.ts'
import { createRefusals } from '../../core/inbound/refusals.ts'
import { createPerformTask } from '../../core/skill/call/perform-task.ts'
import type { SkillCall } from '../../core/engine/skills/skill-caller.ts'
import {
  defineConnection,
  definePlugin,
  defineSkill,
  Secret,
  SkillError,
  type InboundRequest,
  type InboundResult,
} from '../../core/plugin/index.ts'
import { openBench, type Bench } from '../engine/support/bench.ts'
import { ManualClock, settle } from '../engine/support/manual-clock.ts'
import { somebody } from '../support/somebody.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'

describe('an inbound request', () => {
  let bench: Bench
  let clock: ManualClock
  let run: Run
  let token: string
  let say: (request: InboundRequest) => InboundResult
  let woken: string[]
  let refused: SkillCall[]
  let failing: Error | undefined

  const connection = defineConnection({
    title: 'Chat',
    description: 'A chat.',
    settings: {
      type: 'object',
      additionalProperties: false,
      required: ['key'],
      properties: { key: { type: 'string', 'x-secret': true } },
    },
    baseUrl: () => 'https://example.com',
    authenticate: async () => {},
    inbound: { events: (request) => say(request) },
  })
  const text = { type: 'string' } as const
  const ask = defineSkill({
    name: 'ask',
    title: 'Ask',
    description: 'Asks.',
    effect: 'write',
    repeat: 'never',
    asks: true,
    connection,
    input: {
      type: 'object',
      properties: { checkpoint_id: text, answers: { type: 'array', items: text } },
    },
    output: { type: 'object', required: ['asked'], properties: { asked: text } },
    examples: [],
    run: async () => ({ asked: 'U1' }),
    refuse: async () => {},
  })
  const chat = definePlugin({ name: 'chat', title: 'Chat', description: 'Chat.', connection, skills: [ask] })
  const catalogue = buildCatalogue([chat])

  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
    run = await bench.startRun()
    const secrets = { key: new Secret('canary-key') }
    const { connections } = bench.stores
    const made = await connections.create(
      bench.organizationUuid,
      {
        name: 'Chat',
        plugin: 'chat',
        settings: {},
        secrets,
      },
      somebody(),
    )
    token = (await connections.eventsToken(bench.organizationUuid, made.uuid)).reveal()
    say = () => ({})
    woken = []
    refused = []
    failing = undefined
  })
  afterEach(() => bench.close())

  const receive = (changes: Partial<InboundPost> = {}) => {
    const { stores, log } = bench
    const sayRefused = createRefusals({
      catalogue,
      stores,
      clock,
      log,
      callSkill: async (call) => {
        refused.push(call)
        if (failing) throw failing
      },
    })
    const runner = { wake: ({ uuid }: { uuid: string }) => void woken.push(uuid) }
    const performTask = createPerformTask({ catalogue, egress: { send: () => expect.fail() }, clock })
    const inbound = createInbound({ stores, catalogue, runner, sayRefused, performTask, clock, log })
    const post: InboundPost = {
      plugin: 'chat',
      route: 'events',
      token,
      requestId: 'r-1',
      method: 'POST',
      url: `https://tocsin.example/api/webhooks/chat/v1/events?token=${token}&a=b`,
      query: { a: 'b' },
      headers: { 'x-one': '1' },
      body: Buffer.from('{"é":1}'),
      ...changes,
    }
    return inbound.receive(post, { provider: () => expect.fail(), store: () => expect.fail() })
  }
  const open = async (path = 'ask') => {
    const { checkpoints } = bench.stores
    const question = { via: 'chat.ask', input: { n: 1 }, answers: ['yes', 'no'], form: null }
    const timeoutAt = clock.now() + 60_000
    const { id } = await checkpoints.open(run.uuid, { path, stepId: path, question, timeoutAt })
    await checkpoints.storeConnection(run.uuid, path, 'Chat')
    return id
  }
  const asked = async (path = 'ask') => {
    const id = await open(path)
    await bench.stores.checkpoints.asked(run.uuid, path, { asked: 'U1', ts: '1' })
    return id
  }

  it('reaches the plugin unchanged: headers, bytes, text and time', async () => {
    let seen: InboundRequest | undefined
    say = (request) => {
      seen = request
      return { reply: { status: 202, json: { ok: true } } }
    }
    expect(await receive()).to.deep.equal({ reply: { status: 202, json: { ok: true } } })
    expect(seen?.headers).to.deep.equal({ 'x-one': '1' })
    expect(Buffer.from(seen?.body ?? []).equals(Buffer.from('{"é":1}'))).to.equal(true)
    expect(seen).to.include({ method: 'POST', text: '{"é":1}', nowMs: clock.now() })
    expect(seen?.query).to.deep.equal({ a: 'b' })
    expect(seen?.url).to.include('https://tocsin.example/api/webhooks/chat/v1/events?token=')
  })

  it('wakes the run after its answer is stored', async () => {
    const id = await asked()
    say = () => ({ answers: [{ checkpointId: id, by: 'U1', value: 'yes' }] })
    await receive()
    expect(woken).to.deep.equal([run.uuid])
    expect((await bench.stores.checkpoints.find('all', id))?.answer).to.deep.include({
      value: 'yes',
      by: { kind: 'person', id: 'U1', name: 'U1' },
    })
    await receive()
    expect(woken, 'a second one').to.deep.equal([run.uuid])
  })

  it('gets the same response as a false answer while the question is being sent', async () => {
    const id = await open()
    say = () => ({ dedupeKey: 'Ev1', answers: [{ checkpointId: id, by: 'U1', value: 'yes' }] })
    const early = await receive().catch((error: unknown) => error)
    expect(early).to.include({ name: 'UnavailableError', code: 'question_going_out' })
    await bench.stores.checkpoints.asked(run.uuid, 'ask', { asked: 'U1' })
    await receive()
    expect(woken, 'sent again, it counts').to.deep.equal([run.uuid])
  })

  it('is ignored if it names no question of this connection', async () => {
    const other = await asked('other')
    await bench.stores.checkpoints.storeConnection(run.uuid, 'other', 'Chat 2')
    const { checkpoints } = bench.stores
    const question = { via: 'mail.ask', input: {}, answers: ['yes'], form: null }
    const foreign = await checkpoints.open(run.uuid, {
      path: 'm',
      stepId: 'm',
      question,
      timeoutAt: clock.now() + 9,
    })
    await checkpoints.storeConnection(run.uuid, 'm', 'Chat')
    await checkpoints.asked(run.uuid, 'm', { asked: 'U1' })
    for (const checkpointId of ['nobody', other, foreign.id, undefined]) {
      say = () => ({ answers: [{ checkpointId, by: 'U1', value: 'yes' }] })
      expect(await receive(), checkpointId).to.deep.equal({ reply: {} })
    }
    for (const id of [other, foreign.id]) expect(await checkpoints.answers(id)).to.deep.equal([])
    expect(woken).to.deep.equal([])
  })

  it('is ignored if the question was withdrawn before it was sent', async () => {
    const id = await open()
    await bench.stores.checkpoints.close(run.uuid, 'ask', 'withdrawn')
    say = () => ({ answers: [{ checkpointId: id, by: 'U1', value: 'yes' }] })
    expect(await receive()).to.deep.equal({ reply: {} })
    expect(await bench.stores.checkpoints.answers(id)).to.deep.equal([])
  })

  it('is refused with the code that the plugin throws, or without secrets for a bug of the plugin', async () => {
    say = () => {
      throw new SkillError('bad_signature', 'not with canary-key')
    }
    const one = await receive()
    expect(one).to.nested.include({ 'refused.code': 'bad_signature', 'refused.connection': 'Chat' })
    expect(one).to.nested.include({ 'refused.error.message': 'not with [redacted]' })
    say = () => {
      throw new TypeError('canary-key is no function')
    }
    expect(await receive()).to.deep.equal({ refused: { code: 'handler_failed', connection: 'Chat' } })
    const { error, ...line } = bench.logged.at(-1) ?? {}
    expect(line).to.deep.equal({
      plugin: 'chat',
      connection: 'Chat',
      message: 'a plugin could not read an inbound request',
    })
    expect((error as Error).message).to.equal('[redacted] is no function')
    expect((error as Error).stack).to.not.include('canary')
    expect(await receive({ body: Buffer.from([0xff]) })).to.have.nested.property(
      'refused.code',
      'body_not_utf8',
    )
  })

  it('is not processed further if its connection was deleted meanwhile', async () => {
    say = () => ({ broken: 'x' })
    const { stores } = bench
    const [{ uuid } = { uuid: '' }] = await stores.connections.list('all')
    const { openByEventsToken } = stores.connections
    stores.connections.openByEventsToken = async (given) => {
      const found = await openByEventsToken.call(stores.connections, given)
      await stores.connections.remove(bench.organizationUuid, uuid, undefined, somebody())
      return found
    }
    expect(await receive()).to.deep.equal({ refused: { code: 'connection_not_found' } })
  })

  it('is stored with bounded reason and text', async () => {
    const id = await asked()
    say = () => ({
      broken: 'x'.repeat(9_999),
      answers: [{ by: 'U1', text: `no${' '.repeat(9_999)}`, message: {} }],
    })
    await receive()
    expect((await bench.stores.connections.list('all'))[0]?.broken?.reason).to.have.length(500)
    expect((await bench.stores.checkpoints.find('all', id))?.answer?.text).to.have.length(4_000)
  })

  describe('without effect', () => {
    it('is explained by the asking skill, once a minute per person and question', async () => {
      const id = await asked()
      const by = (user: string) => {
        say = () => ({ answers: [{ checkpointId: id, by: user, value: 'yes' }] })
        return receive()
      }
      await by('U2')
      await settle()
      expect(refused).to.have.length(1)
      const { attempt, sensitive: _, run: about, ...call } = refused[0]!
      expect(call).to.deep.equal({
        purpose: 'refuse',
        skill: 'chat.ask',
        connection: 'Chat',
        input: { n: 1, checkpoint_id: id, answers: ['yes', 'no'] },
        asked: { output: { asked: 'U1', ts: '1' }, answer: { by: 'U2', reason: 'not_asked' } },
      })
      expect(about).to.include({ uuid: run.uuid, organizationUuid: bench.organizationUuid })
      expect(await about.openCase()).to.equal(run.caseId ?? undefined)
      expect(attempt.idempotencyKey).to.equal(`${run.uuid}/ask/@refuse`)
    })

    it('is explained in the background, and a failure is logged', async () => {
      const id = await asked()
      failing = new SkillError('user_not_found', 'nobody of this name')
      say = () => ({ answers: [{ checkpointId: id, by: 'U2', value: 'yes' }] })
      expect(await receive()).to.deep.equal({ reply: {} })
      await settle()
      expect(bench.logged.at(-1)).to.deep.include({
        run: run.uuid,
        path: 'ask',
        skill: 'chat.ask',
        reason: 'not_asked',
      })
    })
  })

  describe('createRefusals', () => {
    it('sends one explanation per minute to a person about a question', async () => {
      const { stores, log } = bench
      const said: (string | undefined)[] = []
      const callSkill = async ({ asked: about }: SkillCall) => void said.push(about?.answer?.by)
      const sayRefused = createRefusals({ catalogue, stores, clock, log, callSkill })
      const one = (await bench.stores.checkpoints.find('all', await asked('a')))!
      const two = (await bench.stores.checkpoints.find('all', await asked('b')))!
      for (const [checkpoint, by] of [
        [one, 'U2'],
        [one, 'U2'],
        [one, 'U3'],
        [two, 'U2'],
        [{ ...two, reference: null }, 'U4'],
      ] as const) {
        sayRefused(checkpoint, { by, reason: 'late' })
      }
      await settle()
      expect(said).to.deep.equal(['U2', 'U3', 'U2'])
      await clock.advance(60_000)
      sayRefused(one, { by: 'U2', reason: 'late' })
      await settle()
      expect(said).to.have.length(4)
    })

    it('abandons a skill that hangs', async () => {
      const { stores, log } = bench
      const callSkill = () => new Promise<never>(() => {})
      const checkpoint = (await bench.stores.checkpoints.find('all', await asked()))!
      createRefusals({ catalogue, stores, clock, log, callSkill })(checkpoint, { by: 'U2', reason: 'late' })
      await clock.advance(10_000)
      expect(bench.logged.at(-1)).to.have.nested.property('error.code', 'step_timeout')
    })
  })
})
