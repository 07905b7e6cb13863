import { expect } from 'chai'
import { firstToSee, opensWith } from '../../server/web/runs/run/first-to-see.ts'
import { step } from './step.ts'

describe('the step that is shown first', () => {
  it('is what needs somebody or went wrong, else the last one', () => {
    const steps = [step('a', { state: 'failed' }), step('b', { state: 'unknown' }), step('c')]
    expect(firstToSee(steps)?.path).to.equal('b')
    expect(firstToSee([step('a', { state: 'failed' }), step('b')])?.path).to.equal('a')
    expect(firstToSee([step('a'), step('ab')])?.path).to.equal('ab')
    expect(firstToSee([])).to.equal(undefined)
  })

  it('is the one inside, where that failed', () => {
    const failed = { state: 'failed' } as const
    const steps = [
      step('first', failed),
      step('each[0]/call/broken', failed),
      step('each[0]/call', failed),
      step('each[0]', failed),
      step('each', failed),
      step('each[0]/call/well'),
    ]
    expect(firstToSee(steps)?.path).to.equal('each[0]/call/broken')
  })

  it('is, in a run that came through, its first decision or its beginning', () => {
    const asked = step('ask', { kind: 'checkpoint' })
    const skipped = step('not', { state: 'skipped' })
    expect(opensWith([step('look'), asked, step('tell'), skipped])?.path).to.equal('ask')
    expect(opensWith([skipped, step('look'), step('tell')])?.path).to.equal('look')
    expect(opensWith([step('look'), asked, step('tell', { state: 'failed' })])?.path).to.equal('tell')
    expect(opensWith([skipped])?.path).to.equal('not')
    expect(opensWith([])).to.equal(undefined)
  })
})
