import { expect } from 'chai'
import { RunSuspended } from '../../core/engine/journal/durable-context.ts'
import { createWrites, type RunWrites } from '../../core/engine/journal/run-writes.ts'
import { ConflictError, UnavailableError } from '../../core/errors/errors.ts'
import { ManualClock, settle } from './support/manual-clock.ts'

describe('writes of a run', () => {
  let clock: ManualClock
  let stop: AbortController
  let writes: RunWrites
  let order: string[]
  const log = { debug() {}, info() {}, warn() {}, error() {} }

  beforeEach(() => {
    clock = new ManualClock()
    stop = new AbortController()
    order = []
    writes = createWrites({ runUuid: 'r', clock, log, stop: stop.signal })
  })

  /** A write that the store refuses this many times. */
  const write = (name: string, refusals = 0) => {
    let left = refusals
    return async () => {
      if (left-- > 0) throw new UnavailableError('disk_full', 'full', { retryAfterMs: 1_000 })
      order.push(name)
      return name
    }
  }

  it('are all durable once a later awaited write is', async () => {
    writes.later(write('result', 2))
    let isOver = false
    const intent = writes.now(write('intent')).finally(() => (isOver = true))
    await settle()
    expect(isOver, 'while the one before it is refused').to.equal(false)
    await clock.advance(10_000)
    expect(await intent).to.equal('intent')
    expect(order.toSorted()).to.deep.equal(['intent', 'result'])
  })

  it('are awaited by a run that only computes before they fill the memory', async () => {
    let underWay = 0
    let most = 0
    const slow = async () => {
      most = Math.max(most, ++underWay)
      await new Promise((resolve) => void setImmediate(resolve))
      underWay--
    }
    for (let count = 0; count < 3_000; count++) {
      writes.later(slow)
      await writes.room()
    }
    expect(most).to.be.at.most(500)
  })

  it('do not overtake a refused write', async () => {
    writes.later(write('first', 2))
    await settle()
    writes.later(write('second'))
    writes.later(write('third', 1))
    await clock.advance(10_000)
    await writes.settled()
    writes.later(write('fourth'))
    await writes.settled()
    expect(order).to.deep.equal(['first', 'second', 'third', 'fourth'])
  })

  it('are made once if the response of the first attempt was lost', async () => {
    let tries = 0
    writes.later(async () => {
      if (++tries === 1) throw new UnavailableError('disk_full', 'full', { retryAfterMs: 1_000 })
      throw new ConflictError('step_has_ended', 'it was written after all')
    })
    await clock.advance(10_000)
    await writes.settled()
    expect(tries).to.equal(2)
  })

  it('stop at the first failed write, and none after it is reported as durable', async () => {
    writes.later(() => Promise.reject(new ConflictError('step_has_ended', 'by somebody else')))
    await settle()
    const error = await writes.now(write('intent')).catch((reason: unknown) => reason)
    expect(error).to.include({ code: 'step_has_ended' })
    expect(await writes.settled().catch((reason: unknown) => reason)).to.equal(error)
  })

  it('are dropped if the run is stopped while the store refuses them', async () => {
    const writing = writes.now(write('intent', 100))
    await settle()
    stop.abort()
    expect(await writing.catch((reason: unknown) => reason)).to.be.instanceOf(RunSuspended)
  })
})
