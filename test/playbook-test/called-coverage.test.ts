import { expect } from 'chai'
import { parseTests } from '../../core/playbook-test/read/parse.ts'
import { runTests } from '../../core/playbook-test/run/run-tests.ts'
import { catalogue, playbookSource } from './support.ts'

const head = (name: string) => `apiVersion: tocsin/v1\nname: ${name}\non: { call: true }\n`

const sources: Record<string, string> = {
  'p.yaml': playbookSource('  - { id: each, foreach: [1, 2], call: outer, with: { n: "${{ item }}" } }'),
  'outer.yaml': `${head('outer')}inputs: { n: { type: integer } }
steps:
  - { id: second, if: inputs.n == 2, call: inner }
  - { id: never, if: inputs.n == 3, set: { x: 1 } }
`,
  'inner.yaml': `${head('inner')}steps: [{ id: one, set: { x: 1 } }]\n`,
}

describe('coverage of called playbooks', () => {
  it('counts steps inside calls, of each item, and of nested calls', async () => {
    const source = 'playbook: p.yaml\ntests: [{ name: a, expect: {} }]\n'
    const { tests } = parseTests(source, { catalogue, loadPlaybook: (name) => sources[name] })
    const { takenInCalled } = await runTests(tests!, { catalogue })
    const of = (name: string) => {
      const { hash } = tests!.called.get(name)!
      return takenInCalled.filter((each) => each.hash === hash).flatMap(({ taken }) => [...taken])
    }
    expect(of('outer').toSorted()).to.deep.equal(['never skip', 'second run', 'second skip'])
    expect(of('inner')).to.deep.equal(['one run'])
  })
})
