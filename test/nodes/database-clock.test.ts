import { expect } from 'chai'
import { useFakeTimers, type SinonFakeTimers } from 'sinon'
import { DatabaseClock } from '../../server/nodes/database-clock.ts'

const hourMs = 3_600_000

describe('the clock of a node', () => {
  let machine: SinonFakeTimers
  let leads: (number | undefined)[]
  let clock: DatabaseClock
  /** Of the database, while the machine is an hour ahead of it. */
  const database = () => Date.now() - hourMs

  beforeEach(() => {
    machine = useFakeTimers({ now: 1_900_000_000_000, toFake: ['Date', 'performance'] })
    leads = []
    clock = new DatabaseClock((leadMs) => leads.push(leadMs))
  })
  afterEach(() => machine.restore())

  const expectOff = (byMs: number, mostMs = 6) =>
    expect(clock.now() - database()).to.be.within(byMs - mostMs, byMs + mostMs)

  it('is that of the database if the machine has another time', () => {
    clock.told(database(), 0)
    expectOff(0)
    expect(leads[0]).to.be.closeTo(hourMs, 20)
  })

  it('is that of the machine as long as a slow answer does not contradict it', () => {
    // Read at the beginning of three seconds.
    clock.told(Date.now() - 3_000, 3_000)
    expect(clock.now()).to.equal(Date.now())
    clock.told(Date.now(), 3_000)
    expect(clock.now()).to.equal(Date.now())
    expect(leads).to.deep.equal([])
  })

  it('follows a quick answer after slow ones, and no slow one after a quick one', () => {
    clock.told(database(), 4_000)
    expectOff(2_000)
    clock.told(database(), 10)
    expectOff(0)
    for (const tookMs of [700, 4_000]) {
      clock.told(database() - 50, tookMs)
      clock.told(database() - tookMs + 50, tookMs)
    }
    expectOff(0)
    expect(leads).to.have.length(1)
  })

  it('follows also slow answers if the database has another time than before', () => {
    clock.told(database(), 2)
    clock.told(database() + 60_000, 2_000)
    expectOff(61_000, 1_000)
    clock.told(Date.now(), 1)
    expect(clock.now()).to.equal(Date.now())
    expect(leads).to.have.length(2)
    expect(leads[1]).to.equal(undefined)
  })

  it('notices that the clock of the machine is set between two answers', () => {
    clock.told(Date.now(), 4)
    const before = Date.now()
    machine.setSystemTime(before + hourMs)
    expect(clock.now()).to.be.within(before - 20, before + 2_000)
  })

  it('is the same in a thread that shares its memory', () => {
    clock.told(database(), 2)
    expect(new DatabaseClock(undefined, clock.memory).now()).to.be.closeTo(clock.now(), 20)
  })
})
