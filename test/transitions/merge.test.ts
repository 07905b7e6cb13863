import { expect } from 'chai'
import { somebody } from '../support/somebody.ts'
import {
  fieldsAfterSplit,
  mergeBounds,
  mergedFields,
  requireMergeable,
  requireMovable,
  splitEntries,
  splitTitle,
} from '../../core/transitions/correlate/merge.ts'

const assessed = { severity: 'medium', verdict: 'unknown', summary: '' } as const
const codeOf = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return (error as { code?: string }).code
  }
}

describe('merging and splitting cases', () => {
  it('takes the higher severity and the more serious verdict, and keeps what a person set', () => {
    const source = { severity: 'high', verdict: 'malicious', summary: 'a miner' } as const
    expect(mergedFields(assessed, source, [], [])).to.deep.equal(source)
    expect(mergedFields(source, assessed, [], [])).to.deep.equal({})
    expect(mergedFields(assessed, source, ['severity', 'summary'], [])).to.deep.equal({
      verdict: 'malicious',
    })
  })

  it('leaves a case as it is after a split if nobody said anything about its alerts', () => {
    expect(fieldsAfterSplit({ ...assessed, severity: 'high' }, [], [])).to.deep.equal({})
  })

  it('refuses a closed target and cases that were merged elsewhere', () => {
    const open = { id: 'a-1', status: 'open', mergedInto: null } as const
    const other = { ...open, id: 'a-2' }
    expect(requireMergeable(open, other)).to.equal(true)
    expect(requireMergeable(open, { ...other, status: 'closed', mergedInto: 'a-1' })).to.equal(false)
    expect(codeOf(() => requireMergeable({ ...open, status: 'closed' }, other))).to.equal('case_closed')
    expect(codeOf(() => requireMergeable(open, { ...other, mergedInto: 'a-3' }))).to.equal('case_merged')
    expect(codeOf(() => requireMergeable(open, open))).to.equal('same_case')
  })

  it('is bounded', () => {
    expect(codeOf(() => requireMovable('a-1', mergeBounds.moved, 'x'))).to.equal(undefined)
    expect(codeOf(() => requireMovable('a-1', mergeBounds.moved + 1, 'x'))).to.equal('case_too_large')
    const title = splitTitle({ id: 'a-1', title: 'x'.repeat(500) }, undefined)
    expect(title)
      .to.have.lengthOf(500)
      .and.match(/ \(split from a-1\)$/)
    const alerts = Array.from({ length: 25 }, (_, at) => `a-s-${at}`)
    const { from } = splitEntries({ id: 'a-1', title: 'x' }, { id: 'a-2', title: 'y' }, alerts, somebody(), 0)
    expect(from.text).to.match(/^25 alerts left for the new case a-2: a-s-0, .*, a-s-19, 5 more\.$/)
  })
})
