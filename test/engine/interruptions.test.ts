import { expect } from 'chai'
import { RetryableError } from '../../core/plugin/index.ts'
import type { StepDecision } from '../../core/domain/run.ts'
import type { EffectWork } from '../../core/engine/durable-context.ts'
import { createWakeUps } from '../../core/engine/wake-ups.ts'
import { settle } from './support/manual-clock.ts'
import { effect, useOneRun } from './support/one-run.ts'
import { someAuthor, somebody } from '../support/somebody.ts'

describe('local durable context: interruptions', () => {
  const one = useOneRun()

  describe('a step that a crash interrupted', () => {
    it('runs again when it may be repeated, with its recorded input and its key', async () => {
      await one.interrupt(effect({ run: async () => 0 }))
      const seen: unknown[] = []
      const outcome = await (
        await one.open()
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
      expect(seen).to.deep.equal([[{ n: 1 }, `${one.run.uuid}/a`]])
      expect((await one.attempts()).map(({ error }) => error.code)).to.deep.equal(['step_interrupted'])
    })

    it('is asked about when that is possible: done', async () => {
      const work = effect({ interrupted: 'verify', run: async () => 0 })
      await one.interrupt(work)
      const boom = () => Promise.reject(new Error('must not run'))
      const outcome = await (
        await one.open()
      ).perform({ ...work, run: boom, verify: async () => ({ done: 1 }) })
      expect(outcome).to.deep.include({ state: 'completed', output: { done: 1 } })
    })

    it('is asked about when that is possible: not done', async () => {
      const work = effect({ interrupted: 'verify', run: async () => 'ran' })
      await one.interrupt(work)
      const outcome = await (await one.open()).perform({ ...work, verify: async () => undefined })
      expect(outcome).to.deep.include({ state: 'completed', output: 'ran' })
    })

    it('does not run while the other system cannot be asked', async () => {
      const work = effect({ interrupted: 'verify', run: () => Promise.reject(new Error('must not run')) })
      await one.interrupt(work)
      const verify = async () => {
        throw new RetryableError('http_503', 'busy')
      }
      const going = (await one.open()).perform({ ...work, verify })
      await one.clock.advance(60_000)
      expect(await going).to.have.nested.property('error.code', 'http_503')
    })

    it('fails where the playbook says so', async () => {
      const work = effect({ interrupted: 'fail', run: mustNotRun })
      await one.interrupt(work)
      expect(await (await one.open()).perform(work)).to.have.nested.property('error.code', 'step_interrupted')
    })

    it('is skipped where the playbook says so', async () => {
      const work = effect({ interrupted: 'skip', run: mustNotRun })
      await one.interrupt(work)
      const outcome = await (await one.open()).perform(work)
      expect(outcome).to.deep.include({ state: 'skipped', output: null })
      expect(await (await one.open()).perform(work)).to.deep.equal(outcome)
    })

    it('is given up when the run is known to bring the process down, and not before', async () => {
      const work = effect({ run: () => Promise.resolve('ran') })
      for (let times = 0; times < 5; times++) await one.interrupt(work)
      const context = await one.open({ givesUp: true })
      expect(await context.perform(work)).to.have.nested.property('error.code', 'step_interrupted')
    })

    it('goes on however often others brought the process down', async () => {
      const work = effect({ run: () => Promise.resolve('ran') })
      for (let times = 0; times < 5; times++) await one.interrupt(work)
      expect(await (await one.open()).perform(work)).to.include({ state: 'completed', output: 'ran' })
    })
  })

  describe('a step of which nobody knows whether it ran', () => {
    const by = 'anna'
    const resolve = (decision: StepDecision, output: unknown = null) =>
      one.bench.stores.journal.resolve(one.run.uuid, 'a', { decision, output, by: somebody(by) })
    const statusOf = async () => (await one.bench.stores.runs.find('all', one.run.uuid))?.status

    /** The next process: it asks, and waits. */
    async function park(run: EffectWork['run'] = mustNotRun) {
      const work = effect({ interrupted: 'ask', run })
      await one.interrupt(work)
      const wakeUps = createWakeUps()
      const going = (await one.open({ wakeUps })).perform(work)
      await settle()
      return { work, going, wakeUps }
    }

    it('is unknown, and its run waits', async () => {
      const idle: number[] = []
      const work = effect({ interrupted: 'ask', run: mustNotRun })
      await one.interrupt(work)
      void (await one.open({ onIdle: (atMs) => void idle.push(atMs) })).perform(work).catch(() => {})
      await settle()
      expect((await one.entry())?.state).to.equal('unknown')
      expect(await statusOf()).to.equal('waiting')
      expect(idle[0], 'it has nothing to do until somebody decides').to.equal(Infinity)
    })

    it('ends as a person says: it ran', async () => {
      const { work, going, wakeUps } = await park()
      await resolve('ran', { isolated: true })
      wakeUps.wake()
      const outcome = await going
      expect(outcome).to.deep.include({ state: 'completed', output: { isolated: true } })
      expect(await statusOf()).to.equal('running')
      expect((await one.entry())?.resolution).to.deep.equal({
        decision: 'ran',
        by: someAuthor(by),
        at: one.clock.now(),
      })
      expect(await (await one.open()).perform(work), 'on replay').to.deep.equal(outcome)
    })

    it('ends as a person says: skip it', async () => {
      const { going, wakeUps } = await park()
      await resolve('skip')
      wakeUps.wake()
      expect(await going).to.deep.include({ state: 'skipped', output: null })
    })

    it('runs once more when a person says so, with its key and its input', async () => {
      const seen: unknown[] = []
      const { going, wakeUps } = await park(async (input, { number, idempotencyKey }) => {
        seen.push([input, number, idempotencyKey])
        return 'again'
      })
      await resolve('run_again')
      wakeUps.wake()
      expect(await going).to.deep.include({ state: 'completed', output: 'again' })
      expect(seen).to.deep.equal([[{ n: 1 }, 2, `${one.run.uuid}/a`]])
    })

    it('is not asked about once a person has said to run it again', async () => {
      const { work } = await park(async () => 'again')
      await resolve('run_again')
      const outcome = await (await one.open()).perform({ ...work, verify: mustNotRun })
      expect(outcome).to.deep.include({ state: 'completed', output: 'again' })
    })

    it('takes one decision', async () => {
      await park()
      const decisions = await Promise.allSettled([resolve('skip'), resolve('ran', 1), resolve('run_again')])
      expect(decisions.map(({ status }) => status).toSorted()).to.deep.equal([
        'fulfilled',
        'rejected',
        'rejected',
      ])
    })

    it('is decided about while no process runs', async () => {
      const { work } = await park()
      await resolve('ran', 'yes')
      expect(await (await one.open()).perform(work)).to.deep.include({ state: 'completed', output: 'yes' })
    })

    it('is asked about again after another crash', async () => {
      await park()
      await resolve('run_again')
      const stop = new AbortController()
      const work = effect({ interrupted: 'ask', run: () => new Promise(() => {}) })
      const cutOff = (await one.open({ stop: stop.signal })).perform(work).catch(() => {})
      await settle()
      stop.abort()
      await cutOff
      void (await one.open()).perform(work).catch(() => {})
      await settle()
      expect(await one.entry()).to.include({ state: 'unknown', attempt: 2 })
    })

    it('does not hold up a cancellation', async () => {
      const work = effect({ interrupted: 'ask', run: mustNotRun })
      await one.interrupt(work)
      const cancel = new AbortController()
      const going = (await one.open({ cancel: cancel.signal })).perform(work)
      await settle()
      cancel.abort()
      expect(await going).to.have.nested.property('error.code', 'run_cancelled')
      expect((await one.entry())?.state).to.equal('failed')
    })
  })
})

const mustNotRun = () => Promise.reject(new Error('must not run'))
