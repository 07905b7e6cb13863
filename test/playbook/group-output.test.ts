import { expect } from 'chai'
import { check, withSteps } from './support.ts'

const problems = (steps: string) => check(withSteps(steps)).filter(({ severity }) => severity !== 'info')
const codes = (steps: string) => problems(steps).map(({ code }) => code)
const enrich = '{ id: intel, uses: intel_provider.get_enrichment, with: { kind: ip, value: "${{ item }}" } }'

describe('the declared output of a group', () => {
  const each = (inner: string, output: string, read: string) => `
  - id: each
    foreach: \${{ ["192.0.2.1"] }}
    steps: [${inner}]
    output: ${output}
  - return: '\${{ ${read} }}'`

  it('gives the list of a foreach its type, also in items', () => {
    const of = (read: string) =>
      codes(each(enrich, '{ score: "${{ steps.intel.output.risk.score }}" }', read))
    expect(of('steps.each.output.map(e, e.score + 1)')).to.deep.equal([])
    expect(of('steps.each.output[0].scroe')).to.deep.equal(['E205'])
    expect(of('steps.each.output.map(e, e.score.lowerAscii())')).to.deep.equal(['E203'])
    expect(
      of('steps.each.items.filter(i, i.status == "completed").map(i, i.output.score + 1)'),
    ).to.deep.equal([])
  })

  it('treats steps inside that may be skipped as everywhere else', () => {
    const conditional = enrich.replace('uses:', 'if: index > 0, uses:')
    const of = (expression: string) =>
      codes(each(conditional, `\${{ ${expression} }}`, 'size(steps.each.output)'))
    expect(of('steps.intel.output.risk.score')).to.deep.equal(['E206'])
    expect(of('steps.intel.?output.risk.score.orValue(0)')).to.deep.equal([])
  })

  it('is optional if the group may be skipped, unless it has a default', () => {
    const group = (preset: string) =>
      codes(
        `  - { id: g, if: alert.data != null, steps: [{ wait: 1s }], output: { n: 1 }${preset} }\n  - return: '\${{ steps.g.output.n }}'`,
      )
    expect(group('')).to.deep.equal(['E206'])
    expect(group(', default: { n: 2 }')).to.deep.equal([])
  })

  it('is missing where none is declared, with a hint', () => {
    const [group] = problems("  - { id: g, steps: [{ wait: 1s }] }\n  - return: '${{ steps.g.output }}'")
    expect(group?.code).to.equal('E205')
    expect(group?.hint).to.equal('only a group that declares an `output` has one')
    const [inner] = problems(
      "  - { foreach: [1], steps: [{ id: a, set: { x: 1 } }] }\n  - return: '${{ steps.a.output }}'",
    )
    expect(inner?.hint).to.equal('give the step with the foreach an `output` that reads it, and read that')
    const until = (output: string) =>
      codes(
        `  - { repeat: { until: output.done, every: 1s, max: 2 }, steps: [{ id: s, set: { done: true } }]${output} }`,
      )
    expect(until('')).to.deep.equal(['E204'])
    expect(until(', output: { done: "${{ steps.s.output.done }}" }')).to.deep.equal([])
  })

  it('belongs to groups only, and is reported if nothing reads it', () => {
    const [uses] = problems(`  - { uses: case.update, with: { summary: x }, output: 1 }`)
    expect(`${uses?.code} ${uses?.message}: ${uses?.hint}`).to.equal(
      'E112 `output` does not belong to a step with `uses`: remove it: the output of this step is steps.<id>.output',
    )
    const [waits] = problems('  - { wait: 1s, output: 1 }')
    expect(waits?.hint).to.equal('use it with `steps`, `parallel`, `switch`')
    const [alone] = problems('  - { id: g, steps: [{ wait: 1s }], default: 1 }')
    expect(`${alone?.code} ${alone?.message}`).to.equal(
      'E112 `default` does not belong to a step with `steps`',
    )
    const [unread] = problems('  - { id: g, steps: [{ wait: 1s }], output: 1 }')
    expect(`${unread?.code} ${unread?.message}: ${unread?.hint}`).to.equal(
      'W403 nothing reads the output of this group: read steps.g.output, or remove `output`',
    )
  })
})
