import { expect } from 'chai'
import { RunSuspended } from '../../core/engine/journal/durable-context.ts'
import { UnavailableError } from '../../core/errors/errors.ts'
import { RetryableError } from '../../core/plugin/index.ts'
import { settle } from './support/manual-clock.ts'
import { effect, useOneRun } from './support/one-run.ts'

describe('local durable context', () => {
  const one = useOneRun()

  describe('perform', () => {
    it('commits the intent before the call and the result after it', async () => {
      const context = await one.open()
      let during: unknown
      await context.perform(
        effect({
          run: async () => {
            during = (await one.entry())?.state
            return { ok: true }
          },
        }),
      )
      expect(during).to.equal('started')
      expect(await one.entry()).to.deep.include({
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

    it('returns a recorded result without calling or evaluating', async () => {
      await (await one.open()).perform(effect({ run: async () => ({ at: new Date(0), gone: undefined }) }))
      const boom = () => {
        throw new Error('must not happen')
      }
      const outcome = await (await one.open()).perform(effect({ input: boom, run: boom }))
      expect(outcome).to.deep.include({ state: 'completed', output: { at: '1970-01-01T00:00:00.000Z' } })
    })

    it('returns the same value before and after a restart', async () => {
      const output = { at: new Date(0), gone: undefined, id: 9007199254740993n, ['__proto__x']: 1 }
      const first = await (await one.open()).perform(effect({ run: async () => output }))
      const again = await (await one.open()).perform(effect({ run: async () => 'other' }))
      expect(again).to.deep.equal(first)
      expect(first).to.have.deep.nested.property('output.id', 9007199254740993n)
    })

    it('passes the same key to every attempt, which differs between paths and runs', async () => {
      const keys: string[] = []
      const work = effect({
        run: async (_input, { idempotencyKey, number }) => {
          keys.push(idempotencyKey)
          if (number < 3 && keys.length < 3) throw new RetryableError('http_503', 'busy')
          return null
        },
      })
      const going = (await one.open()).perform(work)
      await one.clock.advance(10_000)
      await going
      await (await one.open()).perform({ ...work, path: 'b[1]/c' })
      expect(keys.slice(0, 3)).to.deep.equal(Array.from({ length: 3 }, () => `${one.run.uuid}/a`))
      expect(keys[3]).to.equal(`${one.run.uuid}/b[1]/c`)
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

    it('waits for the remaining time after a restart, and not again if overdue', async () => {
      const stop = new AbortController()
      const until = one.clock.now() + 3_600_000
      const first = (await one.open({ stop: stop.signal })).sleep(nap(until)).catch((error: unknown) => error)
      await one.clock.advance(60_000)
      stop.abort()
      expect(await first).to.be.instanceOf(RunSuspended)

      one.clock.jump(3_540_000)
      const outcome = await (await one.open()).sleep(nap(until + 999_999))
      expect(outcome).to.deep.equal({ state: 'completed', output: null, endedAt: until })
    })

    it('handles a clock set forward or back', async () => {
      let ended = false
      const until = one.clock.now() + 3_600_000
      const going = (await one.open()).sleep(nap(until)).finally(() => (ended = true))
      await settle()
      one.clock.jump(-1_800_000)
      await one.clock.advance(3_600_000)
      expect(ended).to.equal(false)
      one.clock.jump(1_700_000)
      await one.clock.advance(300_000)
      expect((await going).endedAt).to.be.at.least(until)
    })

    it('reports that the run is idle, and until when', async () => {
      const idle: number[] = []
      const stop = new AbortController()
      const context = await one.open({ onIdle: (wakeAtMs) => idle.push(wakeAtMs), stop: stop.signal })
      const now = one.clock.now()
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
      const first = await (await one.open()).remember(work(1))
      one.clock.jump(5_000)
      expect(await (await one.open()).remember(work(2))).to.deep.equal(first)
    })
  })

  describe('a temporary store failure', () => {
    it('does not lose a known result', async () => {
      let refusals = 3
      let calls = 0
      const { journal } = one.bench.stores
      const context = await one.open({
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
      await one.clock.advance(60_000)
      expect(await going).to.deep.include({ state: 'completed', output: 1 })
      expect(calls).to.equal(1)
      expect((await one.entry())?.state).to.equal('completed')
    })
  })

  it('starts nothing more after it is stopped', async () => {
    const stop = new AbortController()
    const context = await one.open({ stop: stop.signal })
    stop.abort()
    let error: unknown
    await context.perform(effect({ run: async () => 1 })).catch((thrown: unknown) => (error = thrown))
    expect(error).to.be.instanceOf(RunSuspended)
    expect(await one.entry()).to.equal(undefined)
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
