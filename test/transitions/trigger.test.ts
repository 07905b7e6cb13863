import { expect } from 'chai'
import { caseEventsOf } from '../../core/transitions/trigger/case-events.ts'
import { hasFired, maxTriggerChain, whyNotTriggered } from '../../core/transitions/trigger/start-rules.ts'

const state = {
  id: 'a-1',
  title: 'One',
  summary: '',
  status: 'open',
  severity: 'medium',
  verdict: 'unknown',
  assignee: null,
  closingReason: null,
  resolution: '',
} as const

describe('events of a case', () => {
  it('follow from what differs', () => {
    expect(caseEventsOf(undefined, state)).to.deep.equal(['opened'])
    expect(caseEventsOf(undefined, { ...state, status: 'closed' })).to.deep.equal(['opened', 'closed'])
    expect(caseEventsOf(state, { ...state, title: 'Two', summary: 'x' })).to.deep.equal([])
    expect(caseEventsOf(state, { ...state, status: 'closed', verdict: 'benign' })).to.deep.equal([
      'closed',
      'status_changed',
      'verdict_changed',
    ])
    const closed = { ...state, status: 'closed' } as const
    expect(caseEventsOf(closed, { ...state, assignee: 'kim', severity: 'low' })).to.deep.equal([
      'reopened',
      'status_changed',
      'severity_changed',
      'assignee_changed',
    ])
  })
})

describe('a chain of playbooks', () => {
  it('has no playbook twice, and an end', () => {
    expect(whyNotTriggered('a', [])).to.equal(undefined)
    expect(whyNotTriggered('a', ['b'])).to.equal(undefined)
    expect(whyNotTriggered('a', ['a'])).to.match(/^its own run led to this event/)
    const long = Array.from({ length: maxTriggerChain }, (_, at) => `p${at}`)
    expect(whyNotTriggered('a', long.slice(1))).to.equal(undefined)
    expect(whyNotTriggered('a', long)).to.match(/^5 playbooks started each other before/)
  })
})

describe('a start for an observable', () => {
  const second = { withinMs: 1_000 }
  it('prevents another one in its window', () => {
    expect(hasFired(second, undefined, 5_000, 5_000)).to.equal(false)
    expect(hasFired(second, 4_001, 5_000, 5_000)).to.equal(true)
    expect(hasFired(second, 4_000, 5_000, 5_000)).to.equal(false)
  })
  it('prevents another one for an alert that arrived before, and is looked at later', () => {
    expect(hasFired(second, 5_001, 5_000, 5_002)).to.equal(true)
    expect(hasFired(second, 9_000, 5_000, 9_001)).to.equal(true)
  })
  it('prevents none if it is in the future, after the clock was set back', () => {
    expect(hasFired(second, 65_000, 5_000, 5_000)).to.equal(true)
    expect(hasFired(second, 65_001, 5_000, 5_000)).to.equal(false)
  })
})
