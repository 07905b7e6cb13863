import { expect } from 'chai'
import { theRun, theServer } from '../../core/domain/audit.ts'
import type { Case } from '../../core/domain/case.ts'
import { openedTimes, timesAfter, type CaseTimes } from '../../core/case/case-times.ts'
import { requireClosing, withClosing } from '../../core/transitions/case.ts'
import { somebody } from '../support/somebody.ts'

const minute = 60_000
const targets = {
  critical: { respondMs: 15 * minute, resolveMs: 240 * minute },
  low: { resolveMs: 1_000 * minute },
} as const
const run = theRun('r-1', 'triage')
type Rated = Pick<Case, 'severity' | 'status'>
type State = CaseTimes & Rated & Pick<Case, 'createdAt'>

const open = { severity: 'critical', status: 'open', createdAt: 1_000 } as const

describe('times of a case', () => {
  const opened = openedTimes(open, { by: run, now: 1_000, targets })
  const after = (before: State, edit: Partial<Rated>, now: number, by = somebody()): State => ({
    ...before,
    ...edit,
    ...timesAfter(before, edit, { by, now, targets }),
  })

  it('count the act of a person with an account, and not that of a run, as the response', () => {
    const anna = { kind: 'account', id: 'a-1', name: 'Anna', requestId: null } as const
    const state = { ...open, ...opened }
    expect(after(state, { severity: 'critical' }, 5_000, anna).respondedAt).to.equal(5_000)
    expect(after(state, { severity: 'critical' }, 5_000, run).respondedAt).to.equal(null)
    expect(openedTimes(open, { by: anna, now: 1_000, targets }).respondedAt).to.equal(1_000)
  })

  it('have the targets of the severity when the case is opened', () => {
    expect(opened).to.deep.equal({
      closedAt: null,
      respondedAt: null,
      respondDueAt: 1_000 + 15 * minute,
      resolveDueAt: 1_000 + 240 * minute,
      closedMs: 0,
    })
    const medium = { severity: 'medium', status: 'open' } as const
    expect(openedTimes(medium, { by: run, now: 1, targets })).to.include({
      respondDueAt: null,
      resolveDueAt: null,
    })
  })

  it('record the first act of a person as the response, and no act of a run or of the server', () => {
    const case1 = { ...open, ...opened }
    expect(timesAfter(case1, { verdict: 'benign' }, { by: run, now: 5, targets })).to.deep.equal({})
    expect(timesAfter(case1, { status: 'in_progress' }, { by: theServer, now: 5, targets })).to.deep.equal({})
    expect(timesAfter(case1, {}, { by: somebody(), now: 5, targets })).to.deep.equal({ respondedAt: 5 })
    expect(timesAfter({ ...case1, respondedAt: 5 }, {}, { by: somebody(), now: 9, targets })).to.deep.equal(
      {},
    )
    expect(openedTimes(open, { by: somebody(), now: 7, targets }).respondedAt).to.equal(7)
  })

  it('count a case that a run closes as responded', () => {
    const closed = after({ ...open, ...opened }, { status: 'closed' }, 9_000, run)
    expect(closed).to.include({ closedAt: 9_000, respondedAt: 9_000 })
    expect(openedTimes({ ...open, status: 'closed' }, { by: run, now: 3, targets })).to.include({
      closedAt: 3,
      respondedAt: 3,
    })
  })

  it('do not count the time while the case was closed, however often it is reopened', () => {
    let now: State = after({ ...open, ...opened }, { status: 'closed' }, 10 * minute)
    now = after(now, { status: 'open' }, 110 * minute)
    expect(now).to.include({ closedAt: null, resolveDueAt: 1_000 + 340 * minute })
    now = after(now, { status: 'closed' }, 120 * minute)
    now = after(now, { status: 'open' }, 125 * minute)
    expect(now.resolveDueAt).to.equal(1_000 + 345 * minute)
    expect(now.closedMs).to.equal(105 * minute)
  })

  it('take the targets of a new severity from the opening of the case', () => {
    const case1 = { ...open, ...opened, closedMs: 5 * minute }
    expect(after(case1, { severity: 'low' }, 50_000)).to.include({
      respondDueAt: null,
      resolveDueAt: 1_000 + 1_005 * minute,
    })
    expect(after(case1, { severity: 'medium' }, 50_000)).to.include({
      respondDueAt: null,
      resolveDueAt: null,
    })
  })
})

describe('a closing reason', () => {
  const closed = { status: 'closed' } as const
  it('goes with the resolution when the case is reopened', () => {
    expect(withClosing(closed, { status: 'open' })).to.deep.equal({
      status: 'open',
      closingReason: null,
      resolution: '',
    })
    expect(withClosing(closed, { closingReason: 'duplicate' })).to.deep.equal({ closingReason: 'duplicate' })
  })

  it('is left out of a change that leaves the case open', () => {
    expect(withClosing({ status: 'open' }, { closingReason: 'other', severity: 'low' })).to.deep.equal({
      severity: 'low',
    })
  })

  it('is refused from a person if the case is not closed by the same change', () => {
    expect(() => requireClosing({ status: 'open' }, { closingReason: 'other' })).to.throw('not closed')
    expect(() => requireClosing(closed, { status: 'open', resolution: 'x' })).to.throw('not closed')
    requireClosing({ status: 'open' }, { status: 'closed', closingReason: 'other', resolution: 'x' })
    requireClosing({ status: 'open' }, { closingReason: null, resolution: '' })
  })
})
