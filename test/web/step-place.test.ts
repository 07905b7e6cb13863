import { expect } from 'chai'
import { graphView } from '../../server/http/resources/playbooks/playbook-graph.ts'
import type { Graph } from '../../server/web/graph/graph-types.ts'
import { calledVersions, stepPlace } from '../../server/web/runs/run/step-place.ts'
import { parsed } from '../playbook/support.ts'
import { step } from './step.ts'

const head = (name: string): string => `apiVersion: tocsin/v1
name: ${name}
on: { manual: true, call: true }
`
const outer = `${head('outer')}steps:
  - { id: first, set: { value: 1 } }
  - id: each
    foreach: "\${{ [1, 2] }}"
    call: middle
on_error:
  - { id: tell, set: { value: 2 } }
`
const middle = `${head('middle')}steps:
  - id: group
    steps:
      - call: inner
`
const inner = `${head('inner')}steps:
  - { id: quiet, set: { value: 1 } }
  - id: broken
    fail: broken
on_error:
  - { id: tidy, set: { value: 2 } }
`
const graphs = new Map(
  Object.entries({ outer, middle, inner }).map(([name, source]) => [
    `${name}-hash`,
    graphView(parsed(source)) as Graph,
  ]),
)
const versions = new Map([
  ['middle', 'middle-hash'],
  ['inner', 'inner-hash'],
])
const placeOf = (path: string) => stepPlace(path, { playbook: 'outer-hash' }, graphs, versions)
const lineOf = (source: string, text: string): number =>
  source.split('\n').findIndex((line) => line.includes(text)) + 1

describe('the place of a step', () => {
  it('is in the playbook of the run', () => {
    expect(placeOf('first')).to.deep.equal({ playbook: 'outer-hash', line: lineOf(outer, 'id: first') })
    expect(placeOf('each[1]')).to.deep.equal({ playbook: 'outer-hash', line: lineOf(outer, 'id: each') })
    expect(placeOf('@on_run_error/tell')?.line).to.equal(lineOf(outer, 'id: tell'))
  })

  it('is in the playbook that it called, however deep', () => {
    expect(placeOf('each[1]/group/0')).to.deep.equal({
      playbook: 'middle-hash',
      called: 'middle',
      line: lineOf(middle, 'call: inner'),
    })
    const place = { playbook: 'inner-hash', called: 'inner' }
    expect(placeOf('each[0]/group/0/broken')).to.deep.equal({ ...place, line: lineOf(inner, 'id: broken') })
    expect(placeOf('each[0]/group/0/@on_run_error/tidy')).to.deep.equal({
      ...place,
      line: lineOf(inner, 'id: tidy'),
    })
  })

  it('is not known where the graph of the called one is not there, or the step is in none', () => {
    expect(stepPlace('each[0]/group', { playbook: 'outer-hash' }, graphs, new Map())).to.equal(undefined)
    expect(placeOf('nowhere')).to.equal(undefined)
    expect(placeOf('each[0]/nowhere')).to.equal(undefined)
  })

  it('is looked up in the version that the run settled', () => {
    const steps = [
      step('@playbooks/inner', { output: { name: 'inner', hash: 'abc' } }),
      step('first', { output: { name: 'outer', hash: 'def' } }),
    ]
    expect([...calledVersions(steps)]).to.deep.equal([['inner', 'abc']])
  })
})
