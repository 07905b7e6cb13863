import { expect } from 'chai'
import { check, withSteps } from './support.ts'

const alert =
  'alert: { type: object, required: [a], properties: { a: { type: string }, x: { type: string } } }'
const problemsOf = (steps: string, rest = '') =>
  check(withSteps(steps, `${alert}\n${rest}`))
    .filter(({ code }) => code !== 'W403')
    .map(({ code, message, hint }) => [code, message, hint].join(': '))
const whole = ['W413: the value may be missing, and then the step fails: add .orValue(…)']
const inside = ['W413: a part of the value may be missing, and then the step fails: add .orValue(…)']

describe('a stored optional', () => {
  it('causes a warning wherever a value becomes JSON', () => {
    expect(problemsOf('  - set: { v: "${{ alert.data.?x }}" }')).to.deep.equal(whole)
    expect(problemsOf('  - return: "${{ alert.data.?x }}"')).to.deep.equal(whole)
    expect(problemsOf('  - return: { a: ["${{ alert.data.?x }}"] }')).to.deep.equal(whole)
    expect(problemsOf('  - return: 1\noutputs: { q: "${{ alert.data.?x }}" }')).to.deep.equal(whole)
    expect(problemsOf('  - { foreach: "${{ [alert.data.?x] }}", set: { v: 1 } }')).to.deep.equal(inside)
  })

  it('is found inside lists and maps', () => {
    expect(problemsOf('  - return: "${{ [alert.data.?x] }}"')).to.deep.equal(inside)
    expect(problemsOf(`  - return: '\${{ {"q": [alert.data.?x]} }}'`)).to.deep.equal(inside)
  })

  it('is not reported with a default, or if it is left out', () => {
    expect(problemsOf('  - return: "${{ alert.data.?x.orValue(null) }}"')).to.deep.equal([])
    expect(problemsOf('  - return: "${{ [?alert.data.?x] }}"')).to.deep.equal([])
    expect(problemsOf(`  - return: '\${{ {?"q": alert.data.?x} }}'`)).to.deep.equal([])
  })

  it('has the type of its value for later reads', () => {
    const set = '  - { id: o, set: { v: "${{ alert.data.?x }}" } }\n'
    expect(problemsOf(`${set}  - return: '\${{ steps.o.output.v + "z" }}'`)).to.deep.equal(whole)
    const codes = problemsOf(`${set}  - return: '\${{ steps.o.output.v.orValue("z") }}'`)
    expect(codes.some((each) => each.startsWith('E'))).to.equal(true)
  })
})
