import { expect } from 'chai'
import { RetryableError } from '../../core/plugin/index.ts'
import { effect, useOneRun } from './support/one-run.ts'

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

    it('fails when nobody can know, and says that a person must decide', async () => {
      const work = effect({ interrupted: 'ask', run: () => Promise.reject(new Error('must not run')) })
      await one.interrupt(work)
      const outcome = await (await one.open()).perform(work)
      expect(outcome).to.have.nested.property('error.code', 'step_interrupted')
      expect(outcome).to.have.nested.property('error.hint').that.contains('decide')
    })

    it('is given up after the third time', async () => {
      const work = effect({ run: () => Promise.reject(new Error('must not run')) })
      for (let times = 0; times < 3; times++) await one.interrupt(work)
      expect(await (await one.open()).perform(work)).to.have.nested.property('error.code', 'step_interrupted')
    })
  })
})
