import { expect } from 'chai'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { catalogue, withSteps } from './support.ts'

/** Advice about destructive skills, as `<code> <message> (<hint>)`. */
function adviceOf(steps: string): readonly string[] {
  const { playbook, problems } = parsePlaybook(withSteps(steps), { catalogue })
  expect(playbook, JSON.stringify(problems)).to.not.equal(undefined)
  return problems
    .filter(({ code }) => code === 'W440' || code === 'I503')
    .map(({ code, message, hint }) => `${code} ${message} (${hint})`)
}
const repeated = 'repeat: { until: "true", every: 1m, max: 20 }'

describe('advice about destructive skills', () => {
  it('suggests an alternative to repeating one, also inside a group', () => {
    const better =
      'W440 edr.isolate is destructive, and `repeat` runs it again in each round ' +
      '(call it once, and give it wait_seconds and a longer timeout, or repeat edr.get_isolation)'
    const use = '{ uses: edr.isolate, with: { id: x } }'
    expect(adviceOf(`  - { uses: edr.isolate, with: { id: x }, ${repeated} }`)).to.deep.equal([better])
    expect(adviceOf(`  - { steps: [${use}], ${repeated} }`)).to.deep.equal([better])
    expect(adviceOf(`  - { steps: [{ if: has(alert.data), steps: [${use}] }], ${repeated} }`)).to.deep.equal([
      better,
    ])
    expect(adviceOf(`  - ${use}`)).to.deep.equal([])
  })

  it('says how many actions of a foreach may wait for approval', () => {
    const block = (more: string) => adviceOf(`  - { uses: edr.block, with: { id: x }, ${more} }`)
    const items = 'foreach: "${{ alert.data }}"'
    const text = (count: number) =>
      `I503 up to ${count} blocking actions: those beyond the limit of 10 per hour wait for approval ` +
      '(one approval covers all of them; lower max_items if there are always fewer)'
    expect(block(items)).to.deep.equal([text(100)])
    expect(block(`${items}, max_items: 11`)).to.deep.equal([text(11)])
    expect(block(`${items}, max_items: 10`)).to.deep.equal([])
    expect(block('foreach: [a, b]')).to.deep.equal([])
    expect(block('foreach: [a, b, "${{ alert.id }}"]')).to.deep.equal([])
    expect(block(`foreach: [${'a, '.repeat(11)}]`)).to.deep.equal([text(11)])
  })

  it('counts each class in a foreach, also nested ones', () => {
    const both = '{ uses: edr.block, with: { id: x } }, { uses: edr.isolate, with: { id: x } }'
    expect(adviceOf(`  - { foreach: [a, b], steps: [${both}] }`)).to.deep.equal([])
    const nested = `  - { foreach: [a, b, c], steps: [{ foreach: [a, b, c, d], as: x, uses: edr.block, with: { id: x } }] }`
    expect(adviceOf(nested)).to.deep.equal([
      'I503 up to 12 blocking actions: those beyond the limit of 10 per hour wait for approval ' +
        '(put edr.block into a foreach of its own, which asks once for all its items)',
    ])
  })
})
