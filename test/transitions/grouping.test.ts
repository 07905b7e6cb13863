import { expect } from 'chai'
import { alertStatus } from '../../core/domain/alert.ts'
import { groupingOf, repeatEntry, type GroupState } from '../../core/transitions/grouping.ts'

const group: GroupState = {
  beginsAt: 100,
  endsAt: 200,
  caseStatus: 'open',
  firstStatus: alertStatus.inProgress,
}

describe('grouping of repeats', () => {
  it('joins a group within its window', () => {
    const at = (now: number) => groupingOf(group, now)
    expect([100, 199, 200].map(at)).to.deep.equal(['join', 'join', 'begin'])
    expect(groupingOf(undefined, 150)).to.equal('begin')
  })

  it('ignores a group from the future, but not one from a node whose clock is up to a minute ahead', () => {
    const at = (now: number) => groupingOf({ ...group, beginsAt: 100_000, endsAt: 200_000 }, now)
    expect([39_999, 40_000].map(at)).to.deep.equal(['begin', 'join'])
  })

  it('starts a new group when the case is closed, and takes over if the first investigation failed', () => {
    expect(groupingOf({ ...group, caseStatus: 'closed' }, 150)).to.equal('begin')
    expect(groupingOf({ ...group, caseStatus: null }, 150)).to.equal('join')
    expect(groupingOf({ ...group, firstStatus: alertStatus.failed }, 150)).to.equal('take_over')
    expect(groupingOf({ ...group, firstStatus: alertStatus.completed }, 150)).to.equal('join')
  })

  it('names ten repeats in the timeline, then every power of ten', () => {
    const first = { id: 'a-b-1', status: alertStatus.inProgress }
    const entryOf = (repeats: number) =>
      repeatEntry({ alertId: 'a-b-9', size: repeats + 1, reason: 'x' }, first, 7)
    const named = Array.from({ length: 1_001 }, (_, index) => index + 1).filter(
      (n) => entryOf(n) !== undefined,
    )
    expect(named).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 100, 1_000])
    expect(entryOf(1)?.text).to.equal('Alert a-b-9 was grouped with a-b-1 because x.')
    expect(entryOf(100)?.text).to.equal('Alert a-b-9 was grouped with a-b-1 because x. 100 repeats so far.')
  })
})
