import { expect } from 'chai'
import { planWatch } from '../../core/engine/recovery/plan-watch.ts'
import type { SuspectRun } from '../../core/ports/runs/run-store.ts'

const suspects = (count: number, crashes = 2): SuspectRun[] =>
  Array.from({ length: count }, (_, n) => ({ uuid: `${n}`, organizationUuid: 'o', crashes }))

const uuids = (groups: readonly (readonly SuspectRun[])[]) =>
  groups.map((group) => group.map(({ uuid }) => uuid))

describe('the watch after crashes', () => {
  it('is of one run at a time if time allows, twice as long after each crash', () => {
    expect(planWatch([])).to.deep.include({ groups: [] })
    const { watchMs, groups } = planWatch(suspects(3))
    expect([watchMs, uuids(groups)]).to.deep.equal([2_000, [['0'], ['1'], ['2']]])
    expect(planWatch(suspects(3, 8)).watchMs).to.equal(8_000)
    expect(planWatch(suspects(1, 14)).watchMs).to.equal(32_000)
  })

  it('takes half a minute for any number of runs, and five minutes after any number of crashes', () => {
    for (const count of [1, 2, 3, 16, 50, 499, 500]) {
      for (let crashes = 2; crashes < 60; crashes++) {
        const { watchMs, groups } = planWatch(suspects(count, crashes))
        const most = crashes < 12 ? 30_000 : 300_000
        expect(watchMs * groups.length, `${count} after ${crashes} crashes`).to.be.at.most(most)
        expect(groups.flat()).to.have.length(count)
      }
    }
  })

  it('finds any one of 500 runs after a few more crashes', () => {
    for (let poison = 0; poison < 500; poison++) {
      let runs = suspects(500)
      let starts = 0
      for (let isFound = false; !isFound; starts++) {
        expect(starts, `starts, ${poison}`).to.be.lessThan(10)
        const { groups, markedCrashes } = planWatch(runs)
        const at = groups.findIndex((group) => group.some(({ uuid }) => uuid === `${poison}`))
        isFound = groups[at]!.length === 1
        // No run ends: their shared other system hangs.
        const taken = new Set(groups.slice(0, at + 1).flat())
        runs = runs.map((run) => ({
          ...run,
          crashes: (groups[at]!.includes(run) ? markedCrashes : run.crashes) + Number(taken.has(run)),
        }))
      }
    }
  })
})
