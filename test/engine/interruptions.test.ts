import { expect } from 'chai'
import { ConnectionError, RetryableError, SkillError } from '../../core/plugin/index.ts'
import type { StepDecision } from '../../core/domain/run.ts'
import type { EffectWork } from '../../core/engine/journal/durable-context.ts'
import { createWakeUps } from '../../core/engine/journal/wake-ups.ts'
import { settle } from './support/manual-clock.ts'
import { effect, retry, useOneRun } from './support/one-run.ts'
import { someAuthor, somebody } from '../support/somebody.ts'

describe('local durable context: interruptions', () => {
  const one = useOneRun()

  describe('a step that a crash interrupted', () => {
    it('runs again if repeatable, with its recorded input and key', async () => {
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

    it('is verified if possible: done', async () => {
      const work = effect({ interrupted: 'verify', run: async () => 0 })
      await one.interrupt(work)
      const boom = () => Promise.reject(new Error('must not run'))
      const outcome = await (
        await one.open()
      ).perform({ ...work, run: boom, verify: async () => ({ done: 1 }) })
      expect(outcome).to.deep.include({ state: 'completed', output: { done: 1 } })
    })

    it('is verified if possible: not done', async () => {
      const work = effect({ interrupted: 'verify', run: async () => 'ran' })
      await one.interrupt(work)
      const outcome = await (await one.open()).perform({ ...work, verify: async () => undefined })
      expect(outcome).to.deep.include({ state: 'completed', output: 'ran' })
    })

    it('does not run while the other system cannot be reached', async () => {
      const work = effect({ interrupted: 'verify', run: () => Promise.reject(new Error('must not run')) })
      await one.interrupt(work)
      const verify = async () => {
        throw new RetryableError('http_503', 'busy')
      }
      const going = (await one.open()).perform({ ...work, verify })
      await one.clock.advance(60_000)
      expect(await going).to.have.nested.property('error.code', 'http_503')
    })

    it('fails if the playbook says so', async () => {
      const work = effect({ interrupted: 'fail', run: mustNotRun })
      await one.interrupt(work)
      expect(await (await one.open()).perform(work)).to.have.nested.property('error.code', 'step_interrupted')
    })

    it('is skipped if the playbook says so', async () => {
      const work = effect({ interrupted: 'skip', run: mustNotRun })
      await one.interrupt(work)
      const outcome = await (await one.open()).perform(work)
      expect(outcome).to.deep.include({ state: 'skipped', output: null })
      expect(await (await one.open()).perform(work)).to.deep.equal(outcome)
    })

    it('is given up only if the run is known to crash the process', async () => {
      const work = effect({ run: () => Promise.resolve('ran') })
      for (let times = 0; times < 5; times++) await one.interrupt(work)
      const context = await one.open({ failsInterrupted: true })
      expect(await context.perform(work)).to.have.nested.property('error.code', 'step_interrupted')
    })

    it('continues regardless of crashes caused by other runs', async () => {
      const work = effect({ run: () => Promise.resolve('ran') })
      for (let times = 0; times < 5; times++) await one.interrupt(work)
      expect(await (await one.open()).perform(work)).to.include({ state: 'completed', output: 'ran' })
    })
  })

  describe('a step with unknown outcome', () => {
    const by = 'anna'
    const resolve = (decision: StepDecision, output: unknown = null) =>
      one.bench.stores.journal.resolve(one.run.uuid, 'a', { decision, output, by: somebody(by) })
    const statusOf = async () => (await one.bench.stores.runs.find('all', one.run.uuid))?.status

    /** The next process: it asks and waits. */
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

    it('ends as decided: done', async () => {
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

    it('ends as decided: skipped', async () => {
      const { going, wakeUps } = await park()
      await resolve('skip')
      wakeUps.wake()
      expect(await going).to.deep.include({ state: 'skipped', output: null })
    })

    it('runs once more if a person decides so, with its key and its input', async () => {
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

    it('is not verified after the decision to run it again', async () => {
      const { work } = await park(async () => 'again')
      await resolve('run_again')
      const outcome = await (await one.open()).perform({ ...work, verify: mustNotRun })
      expect(outcome).to.deep.include({ state: 'completed', output: 'again' })
    })

    it('accepts one decision', async () => {
      await park()
      const decisions = await Promise.allSettled([resolve('skip'), resolve('ran', 1), resolve('run_again')])
      expect(decisions.map(({ status }) => status).toSorted()).to.deep.equal([
        'fulfilled',
        'rejected',
        'rejected',
      ])
    })

    it('can be resolved while no process runs', async () => {
      const { work } = await park()
      await resolve('ran', 'yes')
      expect(await (await one.open()).perform(work)).to.deep.include({ state: 'completed', output: 'yes' })
    })

    it('is verified again after another crash', async () => {
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

    it('does not delay a cancellation', async () => {
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

  describe('an attempt with unknown outcome', () => {
    const failing = (error: () => Error) => async () => {
      throw error()
    }
    const cut = () => new RetryableError('network_error', 'cut', { details: { code: 'ECONNRESET' } })
    const errors: Readonly<Record<string, () => Error>> = {
      'a connection that was cut': cut,
      'an answer 500': () => new RetryableError('http_500', 'oops'),
      'an answer 503 that proves nothing': () => new RetryableError('http_503', 'busy', { retryAfterMs: 1 }),
      'an answer 408': () => new RetryableError('http_408', 'too slow'),
      'a redirect': () => new SkillError('http_303', 'see other'),
      'an answer 304': () => new SkillError('http_304', 'not modified'),
      'an unassigned 3xx': () => new SkillError('http_399', 'odd'),
      'an answer that cannot be read': () => new SkillError('bad_response', 'not JSON'),
      'an answer that is too large': () => new SkillError('response_too_large', 'too large'),
      'an output that is not what was declared': () => new SkillError('contract_violation', 'no id'),
      'a bug': () => new TypeError('x is undefined'),
      'an error that says so': () => new SkillError('half_done', 'no', { effect: 'unknown' }),
    }

    for (const [what, error] of Object.entries(errors)) {
      it(`leaves a non-repeatable step unknown: ${what}`, async () => {
        const work = effect({ interrupted: 'ask', run: failing(error) })
        const wakeUps = createWakeUps()
        const going = (await one.open({ wakeUps })).perform(work)
        await settle()
        expect(await one.entry()).to.include({ state: 'unknown', attempt: 1 })
        expect((await one.bench.stores.runs.find('all', one.run.uuid))?.status).to.equal('waiting')
        const [tried] = await one.attempts()
        expect(tried?.error.code).to.equal((error() as { code?: string }).code ?? 'internal_error')
        await one.bench.stores.journal.resolve(one.run.uuid, 'a', {
          decision: 'ran',
          output: { id: 7 },
          by: somebody('anna'),
        })
        wakeUps.wake()
        expect(await going).to.deep.include({ state: 'completed', output: { id: 7 } })
      })
    }

    it('leaves a non-repeatable step unknown whose result is too large for the journal', async () => {
      const work = effect({ interrupted: 'ask', run: async () => ({ text: 'x'.repeat(17_000_000) }) })
      const stop = new AbortController()
      const going = (await one.open({ stop: stop.signal })).perform(work)
      await settle()
      expect(await one.entry()).to.include({ state: 'unknown' })
      expect((await one.attempts())[0]?.error).to.deep.include({ code: 'value_too_large' })
      stop.abort()
      await going.catch(() => {})
    })

    for (const [what, error] of Object.entries<() => Error>({
      'a refusal': () => new SkillError('http_404', 'no such machine'),
      'a redirect of the whole request': () => new SkillError('http_307', 'elsewhere'),
      'wrong credentials': () => new ConnectionError('http_401', 'no'),
      'a refusal by the skill': () => new SkillError('already_isolated', 'no'),
      'an error that says so': () => new RetryableError('http_503', 'busy', { effect: 'none' }),
    })) {
      it(`fails if certainly nothing happened: ${what}`, async () => {
        const work = effect({ interrupted: 'ask', run: failing(error), retry: { ...retry, max: 0 } })
        const outcome = await (await one.open()).perform(work)
        expect(outcome).to.have.nested.property('error.code', (error() as unknown as { code: string }).code)
      })
    }

    it('leaves the step unknown after a timeout, unless nothing was sent', async () => {
      const hanging = (effectOf: 'none' | 'unknown' | undefined) =>
        effect({
          interrupted: 'ask',
          timeoutMs: 5_000,
          retry: { ...retry, max: 0 },
          run: (_input, { onEffect }) => {
            if (effectOf !== undefined) onEffect?.(effectOf)
            return new Promise(() => {})
          },
        })
      for (const known of ['unknown', undefined] as const) {
        await one.anotherRun()
        void (await one.open()).perform(hanging(known))
        await one.clock.advance(5_000)
        await settle()
        expect((await one.entry())?.state).to.equal('unknown')
      }
      await one.anotherRun()
      const going = (await one.open()).perform(hanging('none'))
      await one.clock.advance(5_000)
      const outcome = await going
      expect(outcome).to.deep.nested.include({ state: 'failed', 'error.code': 'step_timeout' })
      expect(outcome).to.have.nested.property('error.details.effect', 'none')
    })

    it('is retried, even if non-repeatable, once nothing is proven to have happened', async () => {
      const refusals = [
        new RetryableError('network_error', 'refused', { details: { code: 'ECONNREFUSED' } }),
        new RetryableError('network_error', 'TLS', { details: { code: 'EPROTO', sent: false } }),
        new RetryableError('http_429', 'slow down', { retryAfterMs: 1_000 }),
      ]
      const work = effect({
        interrupted: 'ask',
        run: async () => {
          const refusal = refusals.shift()
          if (refusal) throw refusal
          return 'done'
        },
      })
      const going = (await one.open()).perform(work)
      await one.clock.advance(60_000)
      expect(await going).to.deep.include({ state: 'completed', output: 'done' })
    })

    it('is unknown after a crash too, and runs again only if a person decides so', async () => {
      const calls: string[] = []
      const run = async () => {
        calls.push('run')
        if (calls.length === 1) throw cut()
        return 'again'
      }
      const work = effect({ interrupted: 'ask', run })
      const stop = new AbortController()
      const first = (await one.open({ stop: stop.signal })).perform(work).catch(() => {})
      await settle()
      stop.abort()
      await first
      const wakeUps = createWakeUps()
      const going = (await one.open({ wakeUps })).perform(work)
      await settle()
      expect(calls).to.have.length(1)
      await one.bench.stores.journal.resolve(one.run.uuid, 'a', {
        decision: 'run_again',
        output: null,
        by: somebody('anna'),
      })
      wakeUps.wake()
      await one.clock.advance(1)
      expect(await going).to.deep.include({ state: 'completed', output: 'again' })
      expect(await one.entry()).to.include({ attempt: 2 })
    })

    it('fails with a note that it may have happened if the playbook excludes a decision', async () => {
      for (const interrupted of ['fail', 'skip'] as const) {
        await one.anotherRun()
        const outcome = await (
          await one.open()
        ).perform(effect({ interrupted, run: failing(cut), mayRepeat: false }))
        expect(outcome).to.deep.nested.include({ state: 'failed', 'error.details.effect': 'unknown' })
      }
    })

    it('ends with the deadline of the group', async () => {
      const deadlineMs = one.clock.now() + 10_000
      const going = (await one.open()).perform(effect({ interrupted: 'ask', run: failing(cut), deadlineMs }))
      await one.clock.advance(10_000)
      expect(await going).to.have.nested.property('error.code', 'step_timeout')
    })

    describe('if the other system can be queried', () => {
      const verified = (verify: EffectWork['verify']) =>
        effect({ interrupted: 'verify', run: failing(cut), verify, retry: { ...retry, max: 0 } })

      it('is done if the other system confirms it', async () => {
        const outcome = await (await one.open()).perform(verified(async () => 'isolated'))
        expect(outcome).to.deep.include({ state: 'completed', output: 'isolated' })
      })

      it('had no effect if the other system says so', async () => {
        const outcome = await (await one.open()).perform(verified(async () => undefined))
        expect(outcome).to.deep.nested.include({ state: 'failed', 'error.details.effect': 'none' })
        expect(outcome).to.have.nested.property('error.code', 'network_error')
      })

      it('may have happened while the other system cannot be reached', async () => {
        const outcome = await (await one.open()).perform(verified(failing(cut)))
        expect(outcome).to.deep.nested.include({ state: 'failed', 'error.details.effect': 'unknown' })
      })
    })
  })
})

const mustNotRun = () => Promise.reject(new Error('must not run'))
