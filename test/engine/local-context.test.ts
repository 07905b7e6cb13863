import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import { RunSuspended, type DurableContext, type EffectWork } from '../../core/engine/durable-context.ts'
import { openLocalContext, type LocalContextOptions } from '../../core/engine/local-context.ts'
import { UnavailableError } from '../../core/errors/errors.ts'
import { RetryableError, SkillError } from '../../core/plugin/index.ts'
import { openBench, type Bench } from './support/bench.ts'
import { ManualClock, settle } from './support/manual-clock.ts'

const retry = { max: 3, backoffMs: 1_000, factor: 2, maxBackoffMs: 300_000 }

describe('local durable context', () => {
  let bench: Bench
  let clock: ManualClock
  let run: Run
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
    run = await bench.startRun()
  })
  afterEach(() => bench.close())

  /** A process, as far as the run can tell. */
  const open = (options: Partial<LocalContextOptions> = {}): Promise<DurableContext> =>
    openLocalContext({
      run: { uuid: run.uuid, startedAt: run.startedAt! },
      journal: bench.stores.journal,
      clock,
      log: bench.log,
      ...options,
    })
  const effect = (work: Partial<EffectWork> & Pick<EffectWork, 'run'>): EffectWork => ({
    path: 'a',
    stepId: 'a',
    kind: 'x.do',
    input: () => ({ n: 1 }),
    timeoutMs: 60_000,
    deadlineMs: Infinity,
    shielded: false,
    retry,
    interrupted: 'repeat',
    ...work,
  })
  const entry = async (path = 'a') =>
    (await bench.stores.journal.entries(run.uuid)).find((each) => each.path === path)
  const attempts = () => bench.stores.journal.failedAttempts(run.uuid)

  /** An attempt whose process dies under it: intent, no result. */
  async function interrupt(work: EffectWork): Promise<void> {
    const stop = new AbortController()
    const context = await open({ stop: stop.signal })
    const going = context
      .perform({ ...work, run: () => new Promise(() => {}) })
      .catch((error: unknown) => error)
    await settle()
    stop.abort()
    expect(await going).to.be.instanceOf(RunSuspended)
    expect((await entry())?.state).to.equal('started')
  }

  describe('perform', () => {
    it('commits the intent before the call and the result after it', async () => {
      const context = await open()
      let during: unknown
      await context.perform(
        effect({
          run: async () => {
            during = (await entry())?.state
            return { ok: true }
          },
        }),
      )
      expect(during).to.equal('started')
      expect(await entry()).to.deep.include({
        path: 'a',
        stepId: 'a',
        kind: 'x.do',
        state: 'completed',
        input: { n: 1 },
        output: { ok: true },
        error: null,
        attempt: 1,
      })
    })

    it('gives a recorded result back, without calling and without evaluating', async () => {
      await (await open()).perform(effect({ run: async () => ({ at: new Date(0), gone: undefined }) }))
      const boom = () => {
        throw new Error('must not happen')
      }
      const outcome = await (await open()).perform(effect({ input: boom, run: boom }))
      expect(outcome).to.deep.include({ state: 'completed', output: { at: '1970-01-01T00:00:00.000Z' } })
    })

    it('gives the same value before a restart as after it', async () => {
      const output = { at: new Date(0), gone: undefined, id: 9007199254740993n, ['__proto__x']: 1 }
      const first = await (await open()).perform(effect({ run: async () => output }))
      const again = await (await open()).perform(effect({ run: async () => 'other' }))
      expect(again).to.deep.equal(first)
      expect(first).to.have.deep.nested.property('output.id', 9007199254740993n)
    })

    it('hands every try the same key, which differs between paths and runs', async () => {
      const keys: string[] = []
      const work = effect({
        run: async (_input, { idempotencyKey, number }) => {
          keys.push(idempotencyKey)
          if (number < 3 && keys.length < 3) throw new RetryableError('http_503', 'busy')
          return null
        },
      })
      const going = (await open()).perform(work)
      await clock.advance(10_000)
      await going
      await (await open()).perform({ ...work, path: 'b[1]/c' })
      expect(keys.slice(0, 3)).to.deep.equal(Array.from({ length: 3 }, () => `${run.uuid}/a`))
      expect(keys[3]).to.equal(`${run.uuid}/b[1]/c`)
    })
  })

  describe('retries', () => {
    const busy = (retryAfterMs?: number) => async () => {
      throw new RetryableError('http_503', 'busy', { retryAfterMs })
    }

    it('waits longer each time, records each failed try with the time of the next, and ends with the last error', async () => {
      const going = (await open()).perform(effect({ run: busy() }))
      await clock.advance(60_000)
      expect(await going).to.deep.include({ state: 'failed', error: { code: 'http_503', message: 'busy' } })
      const waits = (await attempts()).map(({ attempt, endedAt, retryAt }) => [attempt, retryAt - endedAt])
      expect(waits.map(([attempt]) => attempt)).to.deep.equal([1, 2, 3])
      for (const [attempt, wait] of waits) {
        const exponential = 1_000 * 2 ** (attempt! - 1)
        expect(wait).to.be.within(exponential * 0.8, exponential * 1.2)
      }
      expect(await entry()).to.deep.include({ state: 'failed', attempt: 4 })
    })

    it('spreads waits the same way on every replay, and differently for different runs', async () => {
      const waitsOf = async () => {
        run = await bench.startRun()
        const going = (await open()).perform(effect({ run: busy() }))
        await clock.advance(60_000)
        await going
        return (await attempts()).map(({ endedAt, retryAt }) => retryAt - endedAt)
      }
      expect(await waitsOf()).not.to.deep.equal(await waitsOf())
    })

    it('honours Retry-After', async () => {
      const going = (await open()).perform(effect({ run: busy(30_000), retry: { ...retry, max: 1 } }))
      await clock.advance(29_999)
      expect((await entry())?.state).to.equal('started')
      await clock.advance(5_000)
      expect((await going).state).to.equal('failed')
      const [first] = await attempts()
      expect(first!.retryAt - first!.endedAt).to.be.within(30_000, 33_000)
    })

    it('caps what Retry-After may ask for', async () => {
      const work = effect({ run: busy(10 ** 12), retry: { ...retry, max: 1 } })
      const going = (await open()).perform(work)
      await clock.advance(300_000)
      expect((await going).state).to.equal('failed')
    })

    it('does not try again what will not change', async () => {
      let calls = 0
      const run = async () => {
        calls++
        throw new SkillError('not_found', 'no such machine')
      }
      expect((await (await open()).perform(effect({ run }))).state).to.equal('failed')
      expect(calls).to.equal(1)
    })

    it('goes on counting after a restart, and waits for the rest of the time', async () => {
      const stop = new AbortController()
      const first = (await open({ stop: stop.signal })).perform(effect({ run: busy() })).catch(() => {})
      await clock.advance(1_300) // one try, its wait, the second try
      stop.abort()
      await first
      expect(await attempts()).to.have.length(2)

      const numbers: number[] = []
      const again = (await open()).perform(
        effect({
          run: async (_input, { number }) => {
            numbers.push(number)
            throw new RetryableError('http_503', 'busy')
          },
        }),
      )
      await settle()
      expect(numbers).to.deep.equal([])
      await clock.advance(60_000)
      expect((await again).state).to.equal('failed')
      expect(numbers).to.deep.equal([3, 4])
      expect((await attempts()).map(({ error }) => error.code)).not.to.include('step_interrupted')
    })

    it('gives up at once when the next try would come after the deadline of the group', async () => {
      const work = effect({ run: busy(), deadlineMs: clock.now() + 500 })
      const outcome = await (await open()).perform(work)
      expect(outcome).to.deep.include({ state: 'failed', error: { code: 'http_503', message: 'busy' } })
    })

    it('never repeats on a guess what must not be repeated, but what was refused', async () => {
      const codes = ['http_429', 'http_429', 'http_503', 'never']
      let calls = 0
      const going = (await open()).perform(
        effect({
          interrupted: 'ask',
          run: async () => {
            throw new RetryableError(codes[calls++]!, 'not now')
          },
        }),
      )
      await clock.advance(60_000)
      expect(await going).to.have.nested.property('error.code', 'http_503')
      expect(calls).to.equal(3)
    })
  })

  describe('deadlines', () => {
    it('ends an attempt that ignores its signal, and ignores what it does later', async () => {
      let signal: AbortSignal | undefined
      const late = Promise.withResolvers<string>()
      const going = (await open()).perform(
        effect({
          timeoutMs: 5_000,
          retry: { ...retry, max: 0 },
          run: (_input, attempt) => {
            signal = attempt.signal
            return late.promise
          },
        }),
      )
      await clock.advance(4_999)
      expect(signal?.aborted).to.equal(false)
      await clock.advance(1)
      expect(await going).to.have.nested.property('error.code', 'step_timeout')
      expect((signal?.reason as Error).name).to.equal('TimeoutError')
      const before = await entry()
      late.resolve('too late')
      await settle()
      expect(await entry()).to.deep.equal(before)
    })

    it('tries again after a timeout', async () => {
      const going = (await open()).perform(
        effect({
          timeoutMs: 5_000,
          run: (_input, { number }) => (number === 1 ? new Promise(() => {}) : Promise.resolve('second')),
        }),
      )
      await clock.advance(10_000)
      expect(await going).to.deep.include({ state: 'completed', output: 'second' })
    })

    it('asks before it tries again what can be verified', async () => {
      const calls: string[] = []
      const going = (await open()).perform(
        effect({
          interrupted: 'verify',
          timeoutMs: 5_000,
          run: () => {
            calls.push('run')
            return new Promise(() => {})
          },
          verify: async () => {
            calls.push('verify')
            return calls.length < 4 ? undefined : 'isolated'
          },
        }),
      )
      await clock.advance(30_000)
      expect(await going).to.deep.include({ state: 'completed', output: 'isolated' })
      expect(calls).to.deep.equal(['run', 'verify', 'run', 'verify'])
    })

    it('does not call anything once the deadline of the group has passed', async () => {
      let calls = 0
      const outcome = await (
        await open()
      ).perform(effect({ deadlineMs: clock.now(), run: async () => void calls++ }))
      expect(outcome).to.have.nested.property('error.code', 'step_timeout')
      expect(calls).to.equal(0)
    })

    it('leaves no timer behind', async () => {
      await (await open()).perform(effect({ run: async () => 1 }))
      await settle()
      expect(clock.pending).to.deep.equal([])
    })
  })

  describe('a step that a crash interrupted', () => {
    it('runs again when it may be repeated, with its recorded input and its key', async () => {
      await interrupt(effect({ run: async () => 0 }))
      const seen: unknown[] = []
      const outcome = await (
        await open()
      ).perform(
        effect({
          input: () => ({ n: 2 }),
          run: async (input, { idempotencyKey }) => {
            seen.push([input, idempotencyKey])
            return 'again'
          },
        }),
      )
      expect(outcome).to.deep.include({ state: 'completed', output: 'again' })
      expect(seen).to.deep.equal([[{ n: 1 }, `${run.uuid}/a`]])
      expect((await attempts()).map(({ error }) => error.code)).to.deep.equal(['step_interrupted'])
    })

    it('is asked about when that is possible: done', async () => {
      const work = effect({ interrupted: 'verify', run: async () => 0 })
      await interrupt(work)
      const boom = () => Promise.reject(new Error('must not run'))
      const outcome = await (await open()).perform({ ...work, run: boom, verify: async () => ({ done: 1 }) })
      expect(outcome).to.deep.include({ state: 'completed', output: { done: 1 } })
    })

    it('is asked about when that is possible: not done', async () => {
      const work = effect({ interrupted: 'verify', run: async () => 'ran' })
      await interrupt(work)
      const outcome = await (await open()).perform({ ...work, verify: async () => undefined })
      expect(outcome).to.deep.include({ state: 'completed', output: 'ran' })
    })

    it('does not run while the other system cannot be asked', async () => {
      const work = effect({ interrupted: 'verify', run: () => Promise.reject(new Error('must not run')) })
      await interrupt(work)
      const verify = async () => {
        throw new RetryableError('http_503', 'busy')
      }
      const going = (await open()).perform({ ...work, verify })
      await clock.advance(60_000)
      expect(await going).to.have.nested.property('error.code', 'http_503')
    })

    it('fails when nobody can know, and says that a person must decide', async () => {
      const work = effect({ interrupted: 'ask', run: () => Promise.reject(new Error('must not run')) })
      await interrupt(work)
      const outcome = await (await open()).perform(work)
      expect(outcome).to.have.nested.property('error.code', 'step_interrupted')
      expect(outcome).to.have.nested.property('error.hint').that.contains('decide')
    })

    it('is given up after the third time', async () => {
      const work = effect({ run: () => Promise.reject(new Error('must not run')) })
      for (let times = 0; times < 3; times++) await interrupt(work)
      expect(await (await open()).perform(work)).to.have.nested.property('error.code', 'step_interrupted')
    })
  })

  describe('sleep', () => {
    const nap = (untilMs: number) => ({
      path: 'w',
      stepId: null,
      kind: 'wait',
      deadlineMs: Infinity,
      shielded: false,
      untilMs: () => untilMs,
    })

    it('waits for the rest after a restart, and not again when it is overdue', async () => {
      const stop = new AbortController()
      const until = clock.now() + 3_600_000
      const first = (await open({ stop: stop.signal })).sleep(nap(until)).catch((error: unknown) => error)
      await clock.advance(60_000)
      stop.abort()
      expect(await first).to.be.instanceOf(RunSuspended)

      clock.jump(3_540_000)
      const outcome = await (await open()).sleep(nap(until + 999_999))
      expect(outcome).to.deep.equal({ state: 'completed', output: null, endedAt: until })
    })

    it('minds a clock that is set forward or back', async () => {
      let ended = false
      const until = clock.now() + 3_600_000
      const going = (await open()).sleep(nap(until)).finally(() => (ended = true))
      await settle()
      clock.jump(-1_800_000)
      await clock.advance(3_600_000)
      expect(ended).to.equal(false)
      clock.jump(1_700_000)
      await clock.advance(300_000)
      expect((await going).endedAt).to.be.at.least(until)
    })

    it('reports that the run has nothing to do, and until when', async () => {
      const idle: number[] = []
      const stop = new AbortController()
      const context = await open({ onIdle: (wakeAtMs) => idle.push(wakeAtMs), stop: stop.signal })
      const now = clock.now()
      const release = Promise.withResolvers<void>()
      const all = Promise.allSettled([
        context.sleep(nap(now + 9_000)),
        context.sleep({ ...nap(now + 5_000), path: 'v' }),
        context.perform(effect({ run: () => release.promise })),
      ])
      await settle()
      expect(idle).to.deep.equal([])
      release.resolve()
      await settle()
      expect(idle.at(-1)).to.equal(now + 5_000)
      stop.abort()
      await all
    })
  })

  describe('remember', () => {
    it('evaluates once', async () => {
      const work = (value: number) => ({
        path: 's',
        stepId: 's',
        kind: 'set',
        evaluate: () => ({ state: 'completed' as const, output: value }),
      })
      const first = await (await open()).remember(work(1))
      clock.jump(5_000)
      expect(await (await open()).remember(work(2))).to.deep.equal(first)
    })
  })

  describe('a store that cannot be written for a while', () => {
    it('does not lose a result that is known', async () => {
      let refusals = 3
      let calls = 0
      const { journal } = bench.stores
      const context = await open({
        journal: {
          ...bindAll(journal),
          end: async (...args) => {
            if (refusals-- > 0)
              throw new UnavailableError('disk_full', 'the disk is full', { retryAfterMs: 5_000 })
            await journal.end(...args)
          },
        },
      })
      const going = context.perform(effect({ run: async () => ++calls }))
      await clock.advance(60_000)
      expect(await going).to.deep.include({ state: 'completed', output: 1 })
      expect(calls).to.equal(1)
      expect((await entry())?.state).to.equal('completed')
    })
  })

  it('begins nothing more once it is stopped', async () => {
    const stop = new AbortController()
    const context = await open({ stop: stop.signal })
    stop.abort()
    let error: unknown
    await context.perform(effect({ run: async () => 1 })).catch((thrown: unknown) => (error = thrown))
    expect(error).to.be.instanceOf(RunSuspended)
    expect(await entry()).to.equal(undefined)
  })
})

function bindAll<T extends object>(store: T): T {
  return new Proxy(store, {
    get: (target, name) => {
      const member = Reflect.get(target, name) as unknown
      return typeof member === 'function' ? member.bind(target) : member
    },
    ownKeys: () => ['begin', 'attemptFailed', 'end', 'record', 'entries', 'failedAttempts'],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  })
}
