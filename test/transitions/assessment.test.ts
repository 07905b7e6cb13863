import { expect } from 'chai'
import type { CaseChanges } from '../../core/plugin/index.ts'
import {
  assessedAgain,
  assessedChanges,
  combinedAssessment,
  maxSummary,
  type AssessedCase,
  type Assessment,
} from '../../core/transitions/correlate/assessment.ts'

const said = (name: string, changes: CaseChanges): Assessment =>
  assessedAgain(undefined, { source: name, name }, changes)
const fresh = { severity: 'medium', verdict: 'unknown', summary: '', status: 'open' } as const

function change(changes: CaseChanges, others: readonly Assessment[], more: Partial<AssessedCase> = {}) {
  const own = { assessments: [...others, said('own', changes)], source: 'own' }
  return assessedChanges(changes, { before: fresh, decided: [], hasOtherRuns: false, ...own, ...more })
}

describe('assessments of a case', () => {
  it('of a single alert are what its run says', () => {
    const changes = {
      severity: 'low',
      verdict: 'benign',
      summary: 'x',
      status: 'closed',
      title: 't',
    } as const
    expect(change(changes, [])).to.deep.equal({ changes, kept: [] })
  })

  it('combine to the highest severity, the most serious verdict and all summaries', () => {
    const others = [
      said('A-1', { severity: 'high', verdict: 'suspicious', summary: 'seen' }),
      said('A-2', { verdict: 'malicious' }),
      said('A-3', { severity: 'informational', summary: '' }),
    ]
    expect(combinedAssessment(others)).to.deep.equal({
      severity: 'high',
      verdict: 'malicious',
      summary: 'seen',
    })
    expect(change({ severity: 'low', verdict: 'benign', summary: 'a scan' }, others)).to.deep.equal({
      changes: { severity: 'high', verdict: 'malicious', summary: 'A-1: seen\n\nown: a scan' },
      kept: [
        'severity low of this run is less serious than another result',
        'verdict benign of this run is less serious than another result',
      ],
    })
  })

  it('of a later run of the same alert replace the earlier ones', () => {
    const before = said('own', { severity: 'critical', verdict: 'malicious' })
    const after = assessedAgain(before, before, { severity: 'low' })
    expect(combinedAssessment([after])).to.deep.equal({ severity: 'low', verdict: 'malicious' })
  })

  it('leave what a person decided, and say so', () => {
    const decided = {
      decided: ['severity', 'summary'] as const,
      before: { ...fresh, severity: 'low', summary: 'mine' } as const,
    }
    expect(
      change({ severity: 'critical', verdict: 'malicious', summary: 'theirs' }, [], decided),
    ).to.deep.equal({
      changes: { verdict: 'malicious' },
      kept: [
        'severity low stays, because a person set it; this run says critical',
        'the summary stays, because a person set it; this run says theirs',
      ],
    })
    expect(change({ severity: 'low' }, [], decided)).to.deep.equal({ changes: { severity: 'low' }, kept: [] })
  })

  it('keep a case open while other runs are active, or another alert is not benign', () => {
    const grave = [said('A-1', { verdict: 'suspicious' })]
    expect(change({ status: 'closed' }, [], { hasOtherRuns: true })).to.deep.equal({
      changes: {},
      kept: ['the case stays open: other runs of the case are active'],
    })
    expect(change({ status: 'closed' }, grave).kept).to.deep.equal(['the case stays open: A-1 is suspicious'])
    expect(change({ status: 'closed', verdict: 'malicious' }, []).kept).to.deep.equal([])
    expect(change({ status: 'closed' }, [said('A-1', { verdict: 'benign' })]).kept).to.deep.equal([])
  })

  it('bound the joined summary', () => {
    const many = Array.from({ length: 500 }, (_, at) => said(`A-${at}`, { summary: 'x'.repeat(10_000) }))
    expect(combinedAssessment(many).summary).to.have.length.at.most(maxSummary)
    expect(combinedAssessment(many.slice(0, 3)).summary).to.match(
      /^A-0: x{3000,}…\n\nA-1: x{3000,}…\n\nA-2: x{3000,}…$/,
    )
  })
})
