import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { compileExpression, dyn } from '../../../core/expression/index.ts'
import { deviations } from './deviations.ts'
import { runTest } from './run.ts'
import { conformanceTests } from './suite.ts'

const { tests } = conformanceTests()

describe('CEL conformance data', () => {
  it('covers the profile: about a thousand tests, less than 3% of them deviations', () => {
    expect(tests.length).to.be.greaterThan(1000)
    expect(Object.keys(deviations).length).to.be.lessThan(tests.length * 0.03)
  })

  it('matches the counts in docs/expressions.md', () => {
    const page = readFileSync(new URL('../../../docs/expressions.md', import.meta.url), 'utf8')
    expect(page).to.include(`${tests.length.toLocaleString('en')} of them`)
    expect(page).to.include(`all pass but ${Object.keys(deviations).length}`)
  })

  it('includes every listed deviation', () => {
    const ids = new Set(tests.map(({ id }) => id))
    expect(Object.keys(deviations).filter((id) => !ids.has(id))).to.deep.equal([])
  })

  for (const file of new Set(tests.map(({ id }) => id.split('/')[0]))) {
    const ofFile = tests.filter(({ id }) => id.startsWith(`${file}/`))
    it(`passes the ${ofFile.length} tests of ${file} except for the deviations`, () => {
      const surprises = ofFile.flatMap((each) => {
        const failure = runTest(each)
        const reason = deviations[each.id]
        if (failure === undefined && reason !== undefined)
          return [`${each.id} passes: take it off the list (${reason})`]
        return failure !== undefined && reason === undefined
          ? [`${each.id}: ${each.test.expr}: ${failure}`]
          : []
      })
      expect(surprises).to.deep.equal([])
    })
  }

  // An empty map literal has no fields, which is an error here; CEL's checker accepts any field of
  // it.
  it('is accepted by the checker too, except for fields that certainly do not exist', () => {
    const refused = tests
      .filter(
        ({ id, test }) => !test.disableCheck && test.resultMatcher.case !== 'evalError' && !deviations[id],
      )
      .flatMap(({ test }) => {
        const names = Object.fromEntries(Object.keys(test.bindings).map((name) => [name, dyn]))
        return compileExpression(test.expr, names).problems.map(({ code }) => ({
          code,
          expression: test.expr,
        }))
      })
    expect(refused.filter(({ code }) => code !== 'unknown_field')).to.deep.equal([])
  })
})
