import { expect } from 'chai'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import { shadowReport } from '../../core/shadow/report.ts'
import type { ShadowResult, ShadowSummary } from '../../core/shadow/shadow-result.ts'
import { withoutRoom } from '../../core/shadow/shadow-rules.ts'

const shadow = { hash: 'current' } as Playbook
const summary: ShadowSummary = {
  live: { status: 'completed', verdict: 'benign', severity: null },
  shadow: { status: 'completed', verdict: 'malicious', severity: null },
  actions: [],
  changes: [{ kind: 'verdict', text: 'verdict benign → malicious' }],
  reason: null,
}
const result = (changes: Partial<ShadowResult>): ShadowResult =>
  ({
    playbookHash: shadow.hash,
    judgedAt: 1,
    outcome: 'differs',
    summary,
    case: null,
    ...changes,
  }) as ShadowResult
const notJudged = (code: string): Partial<ShadowResult> => ({
  outcome: 'unjudged',
  summary: { ...summary, live: null, shadow: null, changes: [], reason: { code, message: code } },
})
const reportOf = (...results: readonly ShadowResult[]) => shadowReport({ shadow, results, waiting: 0 })

describe('the report of a shadow', () => {
  it('counts what the current version decided, and could not decide', () => {
    const earlier = { playbookHash: 'earlier' }
    const report = reportOf(
      result({}),
      result(notJudged('read_failed')),
      result(earlier),
      result({ ...earlier, ...notJudged('skill_not_found') }),
      result({ judgedAt: null, playbookHash: null, outcome: null, summary: null }),
    )
    expect(report).to.include({ alerts: 2, differs: 1, unjudged: 1, other_versions: 2 })
    expect(report.reasons).to.deep.equal([{ code: 'read_failed', message: 'read_failed', alerts: 1 }])
  })

  it('counts the actions of all alerts by skill, and by who takes them', () => {
    const actions = (both: number, only: number) => [
      { skill: 'edr.isolate', by: 'both' as const, calls: both },
      { skill: 'edr.isolate', by: 'shadow' as const, calls: only },
    ]
    const report = reportOf(
      result({ summary: { ...summary, actions: actions(1, 2) } }),
      result({ summary: { ...summary, actions: actions(3, 40) } }),
    )
    expect(report.actions).to.deep.equal([{ skill: 'edr.isolate', both: 4, only_live: 0, only_shadow: 42 }])
  })

  it('counts alerts for which there was no room, in every version', () => {
    const full = result({ playbookHash: null, ...withoutRoom(Infinity) })
    expect(reportOf(full).reasons.map(({ code }) => code)).to.deep.equal(['backlog_full'])
  })
})
