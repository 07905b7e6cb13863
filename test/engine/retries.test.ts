import { expect } from 'chai'
import { UnavailableError } from '../../core/errors/errors.ts'
import { RetryableError, SkillError } from '../../core/plugin/index.ts'
import { settle } from './support/manual-clock.ts'
import { effect, retry, useOneRun } from './support/one-run.ts'

describe('local durable context: attempts', () => {
  const one = useOneRun()

  describe('retries', () => {
    const busy = (retryAfterMs?: number) => async () => {
      throw new RetryableError('http_503', 'busy', { retryAfterMs })
    }

    it('waits longer each time, records each failed attempt with the next time, and ends with the last error', async () => {
      const going = (await one.open()).perform(effect({ run: busy() }))
      await one.clock.advance(60_000)
      expect(await going).to.deep.include({ state: 'failed', error: { code: 'http_503', message: 'busy' } })
      const waits = (await one.attempts()).map(({ attempt, endedAt, retryAt }) => [
        attempt,
        retryAt - endedAt,
      ])
      expect(waits.map(([attempt]) => attempt)).to.deep.equal([1, 2, 3])
      for (const [attempt, wait] of waits) {
        const exponential = 1_000 * 2 ** (attempt! - 1)
        expect(wait).to.be.within(exponential * 0.8, exponential * 1.2)
      }
      expect(await one.entry()).to.deep.include({ state: 'failed', attempt: 4 })
    })

    it('varies waits equally on every replay, and differently per run', async () => {
      const waitsOf = async () => {
        await one.anotherRun()
        const going = (await one.open()).perform(effect({ run: busy() }))
        await one.clock.advance(60_000)
        await going
        return (await one.attempts()).map(({ endedAt, retryAt }) => retryAt - endedAt)
      }
      expect(await waitsOf()).not.to.deep.equal(await waitsOf())
    })

    it('varies waits within the configured jitter', async () => {
      const going = (await one.open()).perform(effect({ run: busy(), retry: { ...retry, jitter: 0 } }))
      await one.clock.advance(60_000)
      await going
      const waits = (await one.attempts()).map(({ endedAt, retryAt }) => retryAt - endedAt)
      expect(waits).to.deep.equal([1_000, 2_000, 4_000])
    })

    it('waits exactly for Retry-After without jitter', async () => {
      const work = effect({ run: busy(30_000), retry: { ...retry, max: 1, jitter: 0 } })
      const going = (await one.open()).perform(work)
      await one.clock.advance(30_000)
      await going
      const [first] = await one.attempts()
      expect(first!.retryAt - first!.endedAt).to.equal(30_000)
    })

    it('honors Retry-After', async () => {
      const going = (await one.open()).perform(effect({ run: busy(30_000), retry: { ...retry, max: 1 } }))
      await one.clock.advance(29_999)
      expect((await one.entry())?.state).to.equal('started')
      await one.clock.advance(5_000)
      expect((await going).state).to.equal('failed')
      const [first] = await one.attempts()
      expect(first!.retryAt - first!.endedAt).to.be.within(30_000, 33_000)
    })

    it('caps Retry-After', async () => {
      const work = effect({ run: busy(10 ** 12), retry: { ...retry, max: 1 } })
      const going = (await one.open()).perform(work)
      await one.clock.advance(300_000)
      expect((await going).state).to.equal('failed')
    })

    it('does not retry permanent errors', async () => {
      let calls = 0
      const run = async () => {
        calls++
        throw new SkillError('not_found', 'no such machine')
      }
      expect((await (await one.open()).perform(effect({ run }))).state).to.equal('failed')
      expect(calls).to.equal(1)
    })

    it('retries only the listed errors', async () => {
      const codesUntilGivenUp = async (on: readonly string[], codes: readonly string[]) => {
        await one.anotherRun()
        let calls = 0
        const run = async () => {
          throw new RetryableError(codes[calls++]!, 'not now')
        }
        const going = (await one.open()).perform(effect({ run, retry: { ...retry, on } }))
        await one.clock.advance(60_000)
        await going
        return codes.slice(0, calls)
      }
      expect(await codesUntilGivenUp(['http_429'], ['http_429', 'http_503', 'never'])).to.deep.equal([
        'http_429',
        'http_503',
      ])
      expect(
        await codesUntilGivenUp(['http_5xx'], ['http_500', 'http_599', 'http_408', 'never']),
      ).to.deep.equal(['http_500', 'http_599', 'http_408'])
      expect(await codesUntilGivenUp(['network_error'], ['machine_asleep', 'never'])).to.have.length(1)
      expect(
        await codesUntilGivenUp(['machine_asleep'], ['machine_asleep', 'http_503', 'never']),
      ).to.have.length(2)
    })

    it('retries after a timeout only if it is listed', async () => {
      const triesWith = async (on: readonly string[]) => {
        await one.anotherRun()
        let calls = 0
        const run = () => (++calls, new Promise(() => {}))
        const going = (await one.open()).perform(
          effect({ run, timeoutMs: 5_000, retry: { ...retry, max: 1, on } }),
        )
        await one.clock.advance(60_000)
        await going
        return calls
      }
      expect(await triesWith(['step_timeout'])).to.equal(2)
      expect(await triesWith(['http_5xx'])).to.equal(1)
    })

    it('never retries permanent errors, despite the configuration', async () => {
      let calls = 0
      const run = async () => {
        calls++
        throw new SkillError('http_429', 'never')
      }
      await (await one.open()).perform(effect({ run, retry: { ...retry, on: ['http_429'] } }))
      expect(calls).to.equal(1)
    })

    for (const code of ['store_unavailable', 'store_busy'])
      it(`does not count its own store failure as a failed attempt, even after a restart: ${code}`, async () => {
        let troubles = 12
        const run = async () => {
          if (troubles-- > 0) throw new UnavailableError(code, 'full', { retryAfterMs: 1000 })
          throw new RetryableError('http_503', 'busy')
        }
        const work = effect({ run, retry: { ...retry, max: 1 } })
        const stop = new AbortController()
        const first = (await one.open({ stop: stop.signal })).perform(work).catch(() => {})
        await one.clock.advance(20_000)
        stop.abort()
        await first
        expect(troubles).to.be.within(1, 11)
        const going = (await one.open()).perform(work)
        await one.clock.advance(600_000)
        expect(await going).to.deep.include({ state: 'failed', error: { code: 'http_503', message: 'busy' } })
        expect(troubles, 'two tries beyond those').to.equal(-2)
      })

    it('waits for its own store before a call that must not be repeated', async () => {
      let troubles = 3
      const run = async () => {
        if (troubles-- === 0) return 'called'
        const details = { effect: 'none' }
        throw new UnavailableError('store_unavailable', 'away', { retryAfterMs: 1000, details })
      }
      const going = (await one.open()).perform(effect({ run, interrupted: 'ask' }))
      await one.clock.advance(60_000)
      expect(await going).to.include({ state: 'completed', output: 'called' })
    })

    it('does not count a wait for the rate limit as a failed attempt, even after a restart', async () => {
      let turnsMissed = 12
      const run = async () => {
        if (turnsMissed-- > 0) {
          const details = { sent: false }
          throw new RetryableError('rate_limited', 'not yet', { retryAfterMs: 10_000, details })
        }
        throw new RetryableError('rate_limited', 'says the other system')
      }
      const work = effect({ run, interrupted: 'ask', retry: { ...retry, max: 1, on: ['rate_limited'] } })
      const stop = new AbortController()
      const first = (await one.open({ stop: stop.signal })).perform(work).catch(() => {})
      await one.clock.advance(45_000)
      stop.abort()
      await first
      expect(turnsMissed).to.equal(7)
      const going = (await one.open()).perform(work)
      await one.clock.advance(600_000)
      expect(await going).to.have.nested.property('error.message', 'says the other system')
      expect(turnsMissed, 'two tries beyond those').to.equal(-2)
    })

    it('does not count requests that were not sent because the lease of the process was over', async () => {
      let over = 12
      const run = async () => {
        if (over-- > 0)
          throw new RetryableError('lease_over', 'may be replaced', { effect: 'none', retryAfterMs: 500 })
        return 'sent'
      }
      const going = (await one.open()).perform(
        effect({ run, interrupted: 'ask', retry: { ...retry, max: 0, on: ['http_503'] } }),
      )
      await one.clock.advance(60_000)
      expect(await going).to.include({ state: 'completed', output: 'sent' })
    })

    it('waits for the rate limit even without retries, but at most five minutes at a time', async () => {
      let calls = 0
      const run = async () => {
        if (calls++ > 0) return 'done'
        throw new RetryableError('rate_limited', 'not yet', {
          retryAfterMs: 10 ** 9,
          details: { sent: false },
        })
      }
      const going = (await one.open()).perform(effect({ run, retry: { ...retry, max: 0, on: ['http_503'] } }))
      await one.clock.advance(300_000)
      expect(await going).to.include({ state: 'completed', output: 'done' })
    })

    it('keeps its count across a restart, and waits for the remaining time', async () => {
      const stop = new AbortController()
      const first = (await one.open({ stop: stop.signal })).perform(effect({ run: busy() })).catch(() => {})
      await one.clock.advance(1_300) // first attempt, backoff, second attempt
      stop.abort()
      await first
      expect(await one.attempts()).to.have.length(2)

      const numbers: number[] = []
      const again = (await one.open()).perform(
        effect({
          run: async (_input, { number }) => {
            numbers.push(number)
            throw new RetryableError('http_503', 'busy')
          },
        }),
      )
      await settle()
      expect(numbers).to.deep.equal([])
      await one.clock.advance(60_000)
      expect((await again).state).to.equal('failed')
      expect(numbers).to.deep.equal([3, 4])
      expect((await one.attempts()).map(({ error }) => error.code)).not.to.include('step_interrupted')
    })

    it('gives up at once if the next attempt is after the deadline of the group', async () => {
      const work = effect({ run: busy(), deadlineMs: one.clock.now() + 500 })
      const outcome = await (await one.open()).perform(work)
      expect(outcome).to.deep.include({ state: 'failed', error: { code: 'http_503', message: 'busy' } })
    })

    it('repeats a non-repeatable call only if it was refused', async () => {
      const codes = ['http_429', 'http_429', 'http_503', 'never']
      let calls = 0
      const going = (await one.open()).perform(
        effect({
          interrupted: 'ask',
          run: async () => {
            throw new RetryableError(codes[calls++]!, 'not now')
          },
        }),
      )
      await one.clock.advance(60_000)
      expect(await Promise.race([going, settle()])).to.equal(undefined)
      expect(calls).to.equal(3)
      expect((await one.entry())?.state).to.equal('unknown')
    })
  })

  describe('deadlines', () => {
    it('ends an attempt that ignores its signal, and ignores what it does later', async () => {
      let signal: AbortSignal | undefined
      const late = Promise.withResolvers<string>()
      const going = (await one.open()).perform(
        effect({
          timeoutMs: 5_000,
          retry: { ...retry, max: 0 },
          run: (_input, attempt) => {
            signal = attempt.signal
            return late.promise
          },
        }),
      )
      await one.clock.advance(4_999)
      expect(signal?.aborted).to.equal(false)
      await one.clock.advance(1)
      expect(await going).to.have.nested.property('error.code', 'step_timeout')
      expect(signal).to.have.nested.property('reason.name', 'TimeoutError')
      const before = await one.entry()
      late.resolve('too late')
      await settle()
      expect(await one.entry()).to.deep.equal(before)
    })

    it('retries after a timeout', async () => {
      const going = (await one.open()).perform(
        effect({
          timeoutMs: 5_000,
          run: (_input, { number }) => (number === 1 ? new Promise(() => {}) : Promise.resolve('second')),
        }),
      )
      await one.clock.advance(10_000)
      expect(await going).to.deep.include({ state: 'completed', output: 'second' })
    })

    // For every way to handle a crash.
    for (const interrupted of ['verify', 'fail'] as const) {
      it(`verifies before a retry if possible: ${interrupted}`, async () => {
        const calls: string[] = []
        const going = (await one.open()).perform(
          effect({
            interrupted,
            mayRepeat: true,
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
        await one.clock.advance(30_000)
        expect(await going).to.deep.include({ state: 'completed', output: 'isolated' })
        expect(calls).to.deep.equal(['run', 'verify', 'run', 'verify'])
      })
    }

    it('calls nothing after the deadline of the group', async () => {
      let calls = 0
      const outcome = await (
        await one.open()
      ).perform(effect({ deadlineMs: one.clock.now(), run: async () => void calls++ }))
      expect(outcome).to.have.nested.property('error.code', 'step_timeout')
      expect(calls).to.equal(0)
    })

    it('leaves no timer behind', async () => {
      await (await one.open()).perform(effect({ run: async () => 1 }))
      await settle()
      expect(one.clock.pending).to.deep.equal([])
    })
  })
})
