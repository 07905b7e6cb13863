import { authorOf } from '../../core/domain/audit.ts'
import { expect } from 'chai'
import { createPauses } from '../../core/engine/turns/pauses.ts'
import { UnavailableError } from '../../core/errors/errors.ts'
import type { Pause } from '../../core/domain/pause.ts'
import { someAuthor, somebody } from '../support/somebody.ts'
import { ManualClock } from './support/manual-clock.ts'

describe('a pause', () => {
  let kept: Pause | undefined
  let isFull: boolean
  let isPaused: boolean
  const clock = new ManualClock()

  const full = () => new UnavailableError('store_unavailable', 'disk full', { retryAfterMs: 1 })
  const pauses = () =>
    createPauses({
      store: {
        get: async () => kept,
        async pause(reason, by) {
          if (isFull) throw full()
          return (kept ??= { reason, by: authorOf(by), since: clock.now() })
        },
        async resume() {
          if (isFull) throw full()
          kept = undefined
        },
      },
      runner: { pause: () => (isPaused = true), resume: () => (isPaused = false) },
      clock,
      log: { debug() {}, info() {}, warn() {}, error() {} },
    })
  beforeEach(() => {
    kept = undefined
    isFull = false
    isPaused = false
  })

  it('survives restarts until it is ended', async () => {
    const first = await pauses().pause('a loop', somebody('ann'))
    isPaused = false
    const next = pauses()
    await next.start()
    expect([isPaused, next.current()]).to.deep.equal([true, first])
    expect(await next.pause('another', somebody('bob')), 'the earlier one holds').to.deep.equal(first)
    await next.resume(somebody('bob'))
    expect([isPaused, next.current(), kept]).to.deep.equal([false, undefined, undefined])
  })

  it('that cannot be stored still applies, and logs the error', async () => {
    isFull = true
    const all = pauses()
    const error: unknown = await all
      .pause('the disk is full', somebody('ann'))
      .catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(UnavailableError)
    expect(isPaused).to.equal(true)
    expect(all.current()).to.deep.include({ reason: 'the disk is full', by: someAuthor('ann') })
    await all.resume(somebody('ann')).catch(() => {})
    expect([isPaused, all.current()?.by.name], 'nobody ended it').to.deep.equal([true, 'ann'])
    isFull = false
    await all.resume(somebody('ann'))
    expect([isPaused, all.current()]).to.deep.equal([false, undefined])
  })
})
