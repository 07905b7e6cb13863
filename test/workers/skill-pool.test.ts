import { expect } from 'chai'
import { createServer } from 'node:http'
import type { Worker } from 'node:worker_threads'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runAttempt } from '../../core/engine/context/attempt.ts'
import { isOutcomeUnknown, mayHaveHappened } from '../../core/engine/context/retry-class.ts'
import { Secret, SkillError, type RetryableError } from '../../core/plugin/index.ts'
import { testCases, webhookRequest } from '../../core/plugin/testing/index.ts'
import type { LogFields } from '../../core/ports/log.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { createSkillCaller } from '../../core/skill/call/caller.ts'
import { plainJson } from '../../core/engine/journal/plain-json.ts'
import {
  receiveAsTask,
  tryConnectionAsTask,
  type SkillTask,
  type TaskHooks,
} from '../../core/skill/call/perform-task.ts'
import { systemClock } from '../../server/clock.ts'
import { createSkillPool, type SkillPool, type SkillPoolOptions } from '../../server/workers/skill-pool.ts'
import { failure, storedConnection } from '../skill/fixture.ts'
import { eventually } from '../support/eventually.ts'
import { makeRandom, seed, times } from '../support/random.ts'

const secret = 'canary-0123456789'
const wild = fileURLToPath(new URL('./fixtures/wild.ts', import.meta.url))
const plugins = { pluginsDir: '/nowhere', packages: [wild] }

describe('worker threads of skills', () => {
  let baseUrl: string
  let pool: SkillPool
  let options: SkillPoolOptions
  let renew: () => void
  let call: (skill: string, more?: Wish) => Promise<unknown>
  const acts: string[] = []
  const lines: { readonly fields: LogFields; readonly message: string }[] = []
  const lost: { readonly reason: string; readonly skills: readonly string[] }[] = []
  const secrets: string[] = []
  const cases = testCases()
  const server = createServer((request, response) => {
    if (request.method === 'POST') acts.push(request.url ?? '')
    if (request.headers['x-key'] !== secret) response.statusCode = 401
    request.resume().on('end', () => response.end(request.headers['x-key'] === secret ? 'yes' : 'no key'))
  })

  interface Wish {
    readonly ms?: number
    readonly timeoutMs?: number
    readonly key?: string
  }

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const allowPrivate = { everyone: ['127.0.0.0/8'], organizations: new Map() }
    const catalogue = await discoverPlugins(plugins)
    options = {
      threads: 2,
      data: { plugins, allowPrivate },
      memoryMb: 128,
      changes: (skill) => catalogue.skill(skill)?.skill.effect === 'write',
      codeOf: async () => 'DEMO',
      onSecret: (text) => secrets.push(text),
      onRequest: () => {},
      onLost: (reason, skills) => lost.push({ reason, skills }),
    }
    renew = () => void (pool = createSkillPool(options))
    renew()
    const stored = new Map<string, object>()
    const write = (fields: LogFields, message: string): void => void lines.push({ fields, message })
    const caller = createSkillCaller({
      catalogue,
      performTask: (task, hooks) => pool.performTask(task, hooks),
      log: { debug: write, info: write, warn: write, error: write },
      stores: {
        cases,
        connections: {
          list: async () => [],
          open: async (_organization, name) => {
            const connection = connectionTo(name)
            const open = stored.get(name) ?? { connection, secrets: { key: new Secret(secret) } }
            stored.set(name, open)
            return open as { connection: typeof connection; secrets: Record<string, Secret> }
          },
        },
      },
    })
    call = (skill, { ms = 0, timeoutMs = 20_000, key = '1' } = {}) =>
      runAttempt(
        (attempt) =>
          caller({
            purpose: 'run',
            skill: `wild.${skill}`,
            connection: key,
            input: { ms },
            run: {
              uuid: 'run-1',
              organizationUuid: 'org',
              playbookName: 'p',
              openCase: async () => 'DEMO-1',
            },
            attempt,
          }),
        { number: 1, idempotencyKey: 'run-1/s' },
        { timeoutMs, deadlineMs: Infinity, cancel: undefined, stop: new AbortController().signal },
        systemClock,
      )
  })
  beforeEach(() => {
    acts.length = lines.length = lost.length = 0
  })
  after(async () => {
    await pool?.close()
    server.close()
  })
  const connectionTo = (name: string) =>
    storedConnection(name, {
      plugin: 'wild',
      uuid: `00000000-0000-7000-8000-00000000000${name}`,
      settings: { base_url: baseUrl },
    })

  it('perform calls with the credentials of the connection', async () => {
    expect(await call('look')).to.deep.equal({ seen: 'yes' })
    expect(await call('act')).to.deep.equal({ done: 'yes' })
  })

  it('return errors with class, code, hint and the cloneable details', async () => {
    const error = await failure(call('refuse'))
    expect(error).to.be.instanceOf(SkillError)
    expect(error).to.include({ code: 'no_such_thing', message: 'there is none', hint: 'look elsewhere' })
  })

  it('test the credentials of a connection', async () => {
    const bad = { connection: connectionTo('1'), secrets: { key: new Secret('wrong key') } }
    const trial = { signal: AbortSignal.timeout(30_000), onSecret: undefined }
    expect(
      await tryConnectionAsTask(pool.performTask, { ...bad, secrets: { key: new Secret(secret) } }, trial),
    ).to.deep.equal({})
    expect(await failure(tryConnectionAsTask(pool.performTask, bad, trial))).to.include({ code: 'http_401' })
  })

  const receive = (route: string, text: string, timeoutMs = 20_000) => {
    const open = { connection: connectionTo('1'), secrets: { key: new Secret(secret) } }
    const request = { route, ...webhookRequest(text, { nowMs: 0 }) }
    const hooks = { signal: AbortSignal.timeout(timeoutMs), onSecret: undefined }
    return receiveAsTask(pool.performTask, open, request, hooks)
  }

  it('read webhook requests', async () => {
    expect(await receive('events', 'é')).to.deep.equal({ reply: { text: '2 é' } })
    expect(await failure(receive('events', 'leak'))).to.include({ message: 'the key is [redacted]' })
    expect(await failure(receive('odd', ''))).to.include({ code: 'contract_violation' })
  })

  it('keep secrets out of logs and errors, and register them with the log of the process', async () => {
    const error = await failure(call('leak'))
    expect(error.message).to.equal('the key is [redacted]')
    expect(lines).to.deep.equal([
      {
        fields: { skill: 'wild.leak', run: 'run-1', fields: { key: '[redacted]' } },
        message: 'the key is [redacted]',
      },
    ])
    expect(secrets).to.include(secret)
  })

  it('reach the case of the run', async () => {
    expect(await call('note')).to.deep.equal({ id: 'DEMO-1' })
    expect(cases.entries.at(-1)).to.include({ caseId: 'DEMO-1' })
  })

  it('fail with a typed error if a skill passes a value that cannot be cloned', async () => {
    for (const skill of ['odd_output', 'odd_case'])
      expect((await failure(call(skill))).code, skill).to.equal('contract_violation')
    expect(await call('odd_log')).to.deep.equal({})
    expect(lines.map(({ message }) => message)).to.deep.equal(['odd'])
    expect(lost).to.deep.equal([])
  })

  it('hand over large results, which the journal then refuses', async () => {
    const { text } = (await call('huge')) as { text: string }
    expect(text).to.have.length(20_000_000)
    expect(() => plainJson({ text }))
      .to.throw()
      .with.property('code', 'value_too_large')
  })

  it('say that they cannot start, and never start in vain for long', async () => {
    const missing = createSkillPool({
      ...options,
      data: { ...options.data, plugins: { ...plugins, packages: ['/nowhere/plugin.ts'] } },
    })
    await missing.start()
    const task = {
      purpose: 'run',
      skill: 'wild.look',
      input: {},
      connection: undefined,
    } as unknown as SkillTask
    const hooks = { signal: AbortSignal.timeout(30_000) } as unknown as TaskHooks
    expect(await failure(missing.performTask(task, hooks))).to.deep.include({
      code: 'thread_lost',
      details: { sent: false },
    })
    await missing.close()
  })

  it('hand over the bytes of files, and get them back', async () => {
    for (const size of [0, 3_000_000]) {
      const { file, ...rest } = (await call('keep', { ms: size })) as {
        file: { sha256: string; size: number }
      }
      expect(file.size).to.equal(size)
      expect(rest).to.deep.equal({ isSame: true, count: size === 0 ? 1 : 2 })
    }
    expect((await cases.files.list('all', 'DEMO-1')).map(({ size }) => size)).to.deep.equal([0, 3_000_000])
  })

  const crashes: readonly (readonly [string, RegExp])[] = [
    ['heap', /out of memory/],
    ['buffers', /out of memory/],
    ['leave', /ended by itself/],
    ['late', /thrown in a timer/],
    ['reject', /nobody listens/],
  ]
  for (const [skill, reason] of crashes) {
    it(`are replaced if a skill ends one: ${skill}`, async () => {
      const error = await failure(call(skill))
      expect(error.code).to.equal('skill_crashed')
      expect(error.message).to.match(reason)
      expect(lost).to.have.length(1)
      expect(await call('look')).to.deep.equal({ seen: 'yes' })
    })
  }

  it('are terminated if a skill blocks one beyond its deadline', async () => {
    const error = await failure(call('loop', { timeoutMs: 200 }))
    expect(error.code).to.equal('step_timeout')
    expect(await call('look', { timeoutMs: 20_000 }).catch((caught: Error) => caught)).to.satisfy(
      (given: unknown) =>
        (given as RetryableError).code === 'thread_lost' || (given as { seen?: string }).seen === 'yes',
    )
    expect(await call('look')).to.deep.equal({ seen: 'yes' })
    expect(lost[0]?.reason).to.equal('blocked its event loop')
  })

  it('are stopped when a handler of webhooks never returns', async () => {
    expect((await failure(receive('loop', '', 100))).name).to.equal('TimeoutError')
    await eventually('the thread is stopped', () => lost[0])
    expect(lost).to.deep.equal([{ reason: 'blocked its event loop', skills: ['wild'] }])
    expect(await call('look')).to.deep.equal({ seen: 'yes' })
  })

  it('are not given a task that was aborted before', async () => {
    const connection = { connection: connectionTo('1'), secrets: { key: new Secret(secret) } }
    const task = { purpose: 'run', skill: 'wild.act', input: { ms: 0 }, connection } as unknown as SkillTask
    const signal = AbortSignal.abort(new Error('given up'))
    expect(await failure(pool.performTask(task, { signal } as TaskHooks))).to.have.property(
      'message',
      'given up',
    )
    await call('look')
    expect(acts).to.deep.equal([])
  })

  it('get no answers to questions of a stopped thread', async () => {
    const asked: string[] = []
    const workers: Worker[] = []
    const note = (worker: Worker): void => void workers.push(worker)
    process.on('worker', note)
    await pool.close()
    const ask = (worker: Worker | undefined, organizationUuid: string) =>
      worker?.emit('message', [{ kind: 'call', call: 1_000, wanted: { of: 'code', organizationUuid } }])
    pool = createSkillPool({
      ...options,
      threads: 1,
      codeOf: async (code) => `${asked.push(code)}`,
      // Messages posted so far arrive later.
      onLost: () => ask(workers[0], 'stopped'),
    })
    await failure(call('loop', { timeoutMs: 200 }))
    await eventually('another thread is started', () => call('look').catch(() => undefined))
    process.off('worker', note)
    expect(workers).to.have.length(2)
    ask(workers[1], 'running')
    expect(asked.filter((organization) => organization !== 'org')).to.deep.equal(['running'])
    await pool.close()
    renew()
  })

  it('continue past a skill that ignores its signal', async () => {
    expect((await failure(call('deaf', { timeoutMs: 100 }))).code).to.equal('step_timeout')
    expect(await call('look')).to.deep.equal({ seen: 'yes' })
    expect(lost).to.deep.equal([])
  })

  it('blame none of several skills in a lost thread, and run them separately from then on', async () => {
    const resting = failure(call('rest', { ms: 60_000 }))
    const leaving = failure(call('leave_before_act'))
    expect((await resting).code).to.equal('thread_lost')
    expect((await leaving).code).to.equal('thread_lost')
    const rested = call('rest', { ms: 10 })
    const [again] = await Promise.all([failure(call('leave_before_act')), rested])
    expect(again.code).to.equal('skill_crashed')
  })

  it('leave the outcome of a write unknown once its request may have been sent', async () => {
    const error = await failure(call('act_then_leave'))
    expect(acts).to.have.length(1)
    expect(isOutcomeUnknown(error)).to.equal(true)
  })

  it('report no effect for a write that timed out before its request was sent, and never send it later', async () => {
    const error = await failure(call('block_then_act', { ms: 3_000, timeoutMs: 1_000 }))
    expect(error.code).to.equal('step_timeout')
    expect(mayHaveHappened(error)).to.equal(false)
    // Until the thread goes on, or is stopped because it blocks: a call might share its fate.
    await sleep(3_500)
    expect(acts).to.deep.equal([])
  })

  it(`never report a received write as without effect, however threads end (seed ${seed})`, async function () {
    this.timeout(times(60_000))
    const random = makeRandom(seed)
    let id = 0
    for (let round = 0; round < times(4); round++) {
      // Its skills are suspects from the previous round.
      await pool.close()
      renew()
      await call('look')
      const marks = Array.from({ length: 20 }, () => ++id)
      const leaving = call('leave', { ms: 1 + Math.floor(random() * 60), timeoutMs: 5_000 }).catch(() => {})
      const ended = await Promise.all(
        marks.map(async (ms) => {
          const outcome = await call('mark', { ms, timeoutMs: 5_000 }).catch((error: unknown) => error)
          return [ms, outcome] as const
        }),
      )
      await leaving
      for (const [ms, outcome] of ended) {
        const count = acts.filter((path) => path === `/mark/${ms}`).length
        if (!(outcome instanceof Error)) expect(count, `mark ${ms} succeeded`).to.equal(1)
        else if (mayHaveHappened(outcome)) expect(count, `mark ${ms} is unknown`).to.be.at.most(1)
        else expect(count, `mark ${ms}: ${outcome.message}`).to.equal(0)
      }
    }
  })
})
