import { expect } from 'chai'
import { createPruner, type Retention } from '../../core/retention/pruner.ts'
import type { PrunedPiece } from '../../core/ports/retention-store.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { ManualClock } from '../engine/support/manual-clock.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const nothing: PrunedPiece = { runs: 0, alerts: 0, files: 0, next: undefined }

describe('the pruner', () => {
  function start(keep: Retention, pieces: readonly (PrunedPiece | Error)[] = []) {
    const clock = new ManualClock()
    const calls: unknown[][] = []
    const left = [...pieces]
    const answer = async (name: string, by: number, from: unknown) => {
      calls.push([name, clock.now() - by, from])
      const piece = left.shift() ?? nothing
      if (piece instanceof Error) throw piece
      return piece
    }
    const retention: Stores['retention'] = {
      clearExpired: async () => {
        calls.push(['clear'])
        return false
      },
      pruneRuns: ({ before, setting }, from) => answer(setting, before, from),
      pruneAlerts: ({ before, setting }, from) => answer(setting, before, from),
      pruneFiles: ({ before, setting }, from) => answer(setting, before, from),
    }
    const warnings: string[] = []
    const logged: unknown[] = []
    const log = {
      debug() {},
      info: (fields: unknown) => void logged.push(fields),
      error() {},
      warn: (_: unknown, text: string) => void warnings.push(text),
    }
    const sessions = { idleMs: 1, maxMs: 1 }
    const pruner = createPruner({ stores: { retention }, keep, sessions, clock, log })
    pruner.start()
    return { clock, calls, logged, warnings, pruner }
  }

  const forEver = { runsMs: undefined, alertsMs: undefined, filesMs: undefined }

  it('deletes expired data a minute after the start and then hourly, and other data only if configured', async () => {
    const { clock, calls, pruner, logged } = start(forEver)
    await clock.advance(minute - 1)
    expect(calls).to.deep.equal([])
    await clock.advance(1)
    expect(calls).to.deep.equal([['clear']])
    await clock.advance(hour)
    expect(calls).to.have.length(2)
    expect(logged).to.deep.equal([])
    await pruner.stop()
  })

  it('cuts off at a whole millisecond, even if the clock has fractions', async () => {
    const { clock, calls, pruner } = start({ ...forEver, runsMs: 30 * day, alertsMs: 90 * day })
    const monotonic = clock.monotonic.bind(clock)
    clock.monotonic = () => monotonic() - 0.25
    await clock.advance(minute)
    await clock.advance(hour)
    const ages = calls.filter(([name]) => name !== 'clear').map(([, age]) => Number(age))
    expect(ages.length).to.be.greaterThan(0)
    expect(ages.filter((age) => !Number.isInteger(age))).to.deep.equal([])
    await pruner.stop()
  })

  it('works in pieces with pauses and logs the total once', async () => {
    const next = { at: 1, row: 2 }
    const pieces = [
      { runs: 3, alerts: 0, files: 0, next },
      nothing,
      { runs: 1, alerts: 2, files: 0, next },
      nothing,
    ]
    const { clock, calls, logged, pruner } = start(
      { ...forEver, runsMs: 30 * day, alertsMs: 90 * day },
      pieces,
    )
    await clock.advance(minute)
    expect(calls).to.deep.equal([['clear'], ['TOCSIN_KEEP_RUNS_DAYS=30', 30 * day, undefined]])
    await clock.advance(minute)
    expect(calls.slice(2)).to.deep.equal([
      ['TOCSIN_KEEP_RUNS_DAYS=30', 30 * day + 10, next],
      ['TOCSIN_KEEP_ALERTS_DAYS=90', 90 * day + 10, undefined],
      ['TOCSIN_KEEP_ALERTS_DAYS=90', 90 * day + 20, next],
    ])
    expect(logged, 'with names that a line may have').to.deep.equal([{ runs: 4, alerts: 2, files: 0 }])
    await pruner.stop()
  })

  it('logs deletions before a failure and the failure, and retries in a minute', async () => {
    const pieces = [{ runs: 3, alerts: 0, files: 0, next: { at: 1, row: 2 } }, new Error('disk full')]
    const { clock, calls, logged, warnings, pruner } = start({ ...forEver, runsMs: day }, pieces)
    await clock.advance(minute + 10)
    expect(logged).to.deep.equal([{ runs: 3, alerts: 0, files: 0 }])
    expect(warnings).to.have.length(1)
    const before = calls.length
    await clock.advance(minute)
    expect(calls.length).to.be.greaterThan(before)
    const after = calls.length
    await clock.advance(hour - 1)
    expect(calls).to.have.length(after)
    await pruner.stop()
  })

  it('deletes nothing early if the clock is set forward, and less if it is set back', async () => {
    const { clock, calls, pruner } = start({ ...forEver, runsMs: day })
    const by = (call: unknown[] | undefined) => clock.now() - Number(call?.[1])
    clock.jump(1_000 * day)
    await clock.advance(minute)
    expect(by(calls[1])).to.equal(clock.now() - 1_001 * day)
    clock.jump(-1_010 * day)
    await clock.advance(hour)
    expect(calls.at(-1)).to.deep.equal(['TOCSIN_KEEP_RUNS_DAYS=1', day, undefined])
    await pruner.stop()
  })

  it('can be stopped during a pause', async () => {
    const { clock, pruner, calls } = start({ ...forEver, runsMs: day }, [
      { runs: 1, alerts: 0, files: 0, next: { at: 1, row: 1 } },
    ])
    await clock.advance(minute)
    await pruner.stop()
    const before = calls.length
    await clock.advance(hour)
    expect(calls).to.have.length(before)
  })
})
