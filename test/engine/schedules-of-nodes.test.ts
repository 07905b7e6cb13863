import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import { createScheduler } from '../../core/engine/turns/scheduler.ts'
import { UnavailableError } from '../../core/errors/errors.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import type { ScheduleStore } from '../../core/ports/runs/schedule-store.ts'
import { parsed } from '../playbook/support.ts'
import { somebody } from '../support/somebody.ts'
import { openBench, type Bench } from './support/bench.ts'
import { ManualClock } from './support/manual-clock.ts'

const minute = 60_000
const patrolAt = (minutes: string, name = 'patrol') =>
  parsed(
    `apiVersion: tocsin/v1\nname: ${name}\non: { schedule: { cron: "${minutes} * * * *", overlap: true } }\nsteps: [{ set: { a: 1 } }]`,
  )

describe('schedules of several nodes', () => {
  let bench: Bench
  let clock: ManualClock
  let queued: Run[]
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
    queued = []
  })
  afterEach(() => bench.close())

  /** The scheduler of a node. @param all with shadows */
  function node(
    playbooks: readonly Playbook[],
    { schedules, all = playbooks }: { schedules?: ScheduleStore; all?: readonly Playbook[] } = {},
  ) {
    const stores = { ...bench.stores, ...(schedules && { schedules }) }
    const enqueue = (run: Run) => void queued.push(run)
    const published = (name: string) => all.find((each) => each.name === name)?.hash
    return createScheduler({ stores, clock, log: bench.log, playbooks: () => playbooks, published, enqueue })
  }

  const publish = (...playbooks: readonly Playbook[]) =>
    bench.stores.playbooks.publish(
      {
        versions: playbooks.map((playbook) => ({ ...playbook, organizationUuid: null })),
        removed: [],
        files: [],
      },
      somebody(),
    )

  it('fire on a node that missed times which another one has fired before it was lost', async () => {
    let isAway = false
    const { schedules } = bench.stores
    const cut: ScheduleStore = {
      keep: (...given) => schedules.keep(...given),
      fire: (...given) =>
        isAway
          ? Promise.reject(new UnavailableError('store_unavailable', 'away', { retryAfterMs: 0 }))
          : schedules.fire(...given),
    }
    const [lost, other] = [node([patrolAt('*')]), node([patrolAt('*')], { schedules: cut })]
    await lost.start()
    await other.start()
    isAway = true
    await clock.advance(3 * minute - 4_000)
    lost.stop()
    await clock.advance(minute)
    isAway = false
    const before = queued.length
    await clock.advance(5 * minute)
    expect(queued.length - before).to.be.within(5, 6)
    other.stop()
  })

  it('stay if a node does not have their playbooks, such as one of an earlier version', async () => {
    const [known, newer] = [patrolAt('0'), patrolAt('30', 'newer')]
    await publish(known, newer)
    const [all, without] = [node([known, newer]), node([known])]
    await all.start()
    await without.start()
    await without.takeOver()
    await clock.advance(60 * minute)
    expect(queued.map(({ playbookName }) => playbookName).toSorted()).to.deep.equal(['newer', 'patrol'])
    for (const each of [all, without]) each.stop()
  })

  it('stay if a node has an earlier version of their playbook', async () => {
    const [earlier, later] = [patrolAt('0'), patrolAt('10,20,30')]
    await publish(earlier)
    await publish(later)
    const [up, behind] = [node([later]), node([earlier])]
    await up.start()
    await behind.start()
    await clock.advance(60 * minute)
    expect(queued).to.have.length(3)
    for (const each of [up, behind]) each.stop()
  })

  it('end with their playbook, or when that becomes a shadow', async () => {
    const [gone, shadow] = [patrolAt('0'), patrolAt('0', 'shadow')]
    await publish(gone, shadow)
    const first = node([gone, shadow])
    await first.start()
    first.stop()
    await bench.stores.playbooks.publish({ versions: [], removed: [gone], files: [] }, somebody())
    const second = node([], { all: [shadow] })
    await second.start()
    second.stop()
    const restored = node([gone, shadow])
    clock.jump(120 * minute)
    await restored.start()
    await clock.advance(1)
    expect(queued).to.deep.equal([])
    restored.stop()
  })
})
