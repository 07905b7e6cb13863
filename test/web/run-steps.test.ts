import { expect } from 'chai'
import {
  mostRelevantStep,
  awaitedText,
  peopleOf,
  initialStep,
  nodeMarks,
  nodeOf,
  waitEnd,
  shownAt,
  calledVersions,
  stepPlace,
  namesIn,
  rowTexts,
  notListedText,
  notShownText,
} from '../../server/web/runs/run-steps.ts'
import { step } from './step.ts'
import { graphView } from '../../server/http/resources/playbooks/playbook-graph.ts'
import type { ApiGraph } from '../../server/web/api/types.ts'
import { parsed } from '../playbook/support.ts'

describe('the initial step of a run', () => {
  it('is one with an unknown outcome or a failure, else the last one', () => {
    const steps = [step('a', { state: 'failed' }), step('b', { state: 'unknown' }), step('c')]
    expect(mostRelevantStep(steps)?.path).to.equal('b')
    expect(mostRelevantStep([step('a', { state: 'failed' }), step('b')])?.path).to.equal('a')
    expect(mostRelevantStep([step('a'), step('ab')])?.path).to.equal('ab')
    expect(mostRelevantStep([])).to.equal(undefined)
  })

  it('is the failed step inside a group', () => {
    const failed = { state: 'failed' } as const
    const steps = [
      step('first', failed),
      step('each[0]/call/broken', failed),
      step('each[0]/call', failed),
      step('each[0]', failed),
      step('each', failed),
      step('each[0]/call/well'),
    ]
    expect(mostRelevantStep(steps)?.path).to.equal('each[0]/call/broken')
  })

  it('is the first decision or step of a completed run', () => {
    const asked = step('ask', { kind: 'checkpoint' })
    const skipped = step('not', { state: 'skipped' })
    expect(initialStep([step('look'), asked, step('tell'), skipped])?.path).to.equal('ask')
    expect(initialStep([skipped, step('look'), step('tell')])?.path).to.equal('look')
    expect(initialStep([step('look'), asked, step('tell', { state: 'failed' })])?.path).to.equal('tell')
    expect(initialStep([skipped])?.path).to.equal('not')
    expect(initialStep([])).to.equal(undefined)
  })
})

describe('marks of the graph of a run', () => {
  it('finds the node of items, times and parts of steps', () => {
    expect(nodeOf('ask[3]/owner#2/@settle')).to.equal('ask/owner')
    expect(nodeOf('call[1]/@rate#2')).to.equal('call')
    expect(nodeOf('@finally/0')).to.equal('@finally/0')
    expect(nodeOf('a/@on_error/b')).to.equal('a/@on_error/b')
    expect(nodeOf('@on_run_error/tell')).to.equal('@on_error/tell')
  })

  it('shows the worst state and the total time of repeated steps', () => {
    const steps = [
      step('each[0]'),
      step('each[1]', { state: 'failed', ended_at: 4_500 }),
      step('each[0]/@ask'),
    ]
    expect(nodeMarks(steps).get('each')).to.deep.equal({ state: 'failed', count: 2, took: '3.5 s' })
  })

  it('counts items and repeats, not the whole', () => {
    const paths = [
      'each[0]',
      'each[1]',
      'each[2]',
      'each',
      'poll#1/ask',
      'poll#1',
      'poll#2/ask',
      'poll#2',
      'poll',
      'both[0]#1',
      'both[0]#2',
      'both[0]',
      'both[1]#1',
      'both[1]',
      'both',
      'none',
    ]
    const marks = nodeMarks(paths.map((path) => step(path)))
    const count = (id: string) => marks.get(id)?.count
    expect(['each', 'poll', 'poll/ask', 'both', 'none'].map(count)).to.deep.equal([3, 2, 2, 3, 1])
  })

  it('marks groups around executed steps as passed', () => {
    const marks = nodeMarks([step('a/0/b')])
    expect(marks.get('a')?.state).to.equal('passed')
    expect(marks.get('a/@join')?.state).to.equal('passed')
    expect(marks.get('@start')?.state).to.equal('passed')
    expect([...marks.keys()]).not.to.include.members(['@end', 'a/1'])
  })

  it('keeps the state of the group itself', () => {
    expect(nodeMarks([step('a/b'), step('a', { state: 'failed' })]).get('a')?.state).to.equal('failed')
    expect(nodeMarks([step('a', { state: 'failed' }), step('a/b')]).get('a')?.state).to.equal('failed')
  })

  it('shows a step of a called playbook at its call', () => {
    expect(shownAt('group/call/x/y', new Set(['group', 'group/call']))).to.equal('group/call')
    expect(shownAt('other', new Set(['group']))).to.equal(undefined)
  })
})

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
    graphView(parsed(source)) as ApiGraph,
  ]),
)
const versions = new Map([
  ['middle', 'middle-hash'],
  ['inner', 'inner-hash'],
])
const placeOf = (path: string) => stepPlace(path, { playbook: 'outer-hash' }, graphs, versions)
const lineOf = (source: string, text: string): number =>
  source.split('\n').findIndex((line) => line.includes(text)) + 1

describe('the line of a step', () => {
  it('is in the playbook of the run', () => {
    expect(placeOf('first')).to.deep.equal({ playbook: 'outer-hash', line: lineOf(outer, 'id: first') })
    expect(placeOf('each[1]')).to.deep.equal({ playbook: 'outer-hash', line: lineOf(outer, 'id: each') })
    expect(placeOf('@on_run_error/tell')?.line).to.equal(lineOf(outer, 'id: tell'))
  })

  it('is in a called playbook at any depth', () => {
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

  it('is unknown without the graph or for unknown steps', () => {
    expect(stepPlace('each[0]/group', { playbook: 'outer-hash' }, graphs, new Map())).to.equal(undefined)
    expect(placeOf('nowhere')).to.equal(undefined)
    expect(placeOf('each[0]/nowhere')).to.equal(undefined)
  })

  it('is in the version that the run pinned', () => {
    const steps = [
      step('@playbooks/inner', { output: { name: 'inner', hash: 'abc' } }),
      step('first', { output: { name: 'outer', hash: 'def' } }),
    ]
    expect([...calledVersions(steps)]).to.deep.equal([['inner', 'abc']])
  })
})

describe('a row of the timeline', () => {
  it('shows the id of a step and its kind', () => {
    expect(rowTexts({ path: 'synced[0]/known', kind: 'case.find' })).to.deep.equal({
      name: 'synced[0]/known',
      about: 'case.find',
    })
  })

  it('names a step without id by what it does, and shows its path', () => {
    expect(rowTexts({ path: '2', kind: 'fail' })).to.deep.equal({ name: '3rd step: fail', about: '2' })
    expect(rowTexts({ path: 'outcome/else/1[3]#2', kind: 'case.update' })).to.deep.equal({
      name: 'update (case.update), item 4, round 2',
      about: 'outcome/else/1[3]#2',
    })
    expect(rowTexts({ path: 'outcome/0/isolate', kind: 'call' }).name).to.equal('outcome/0/isolate')
    expect(rowTexts({ path: 'decision/@ask', kind: 'messaging.checkpoint' })).to.deep.equal({
      name: 'question of decision',
      about: 'decision/@ask',
    })
  })

  it('takes the name of a step without id from the graph', () => {
    const source = `apiVersion: tocsin/v1
name: graded
on: { alert: { type: graded } }
steps:
  - if: alert.data.severity == "high"
    steps:
      - set: { grave: true }
  - uses: case.update
    with: { summary: done }
`
    const graph = graphView(parsed(source)) as ApiGraph
    const names = namesIn(graph)
    const named = (path: string, kind: string) => rowTexts({ path, kind }, undefined, names).name
    expect([named('0', 'steps'), named('0/0', 'set'), named('1', 'case.update')]).to.deep.equal([
      'if severity is high',
      'set grave',
      'update (case.update)',
    ])
  })

  it('shows the end of a long path', () => {
    expect(rowTexts({ path: 'a/b/c/d', kind: 'set' }).name).to.equal('…/c/d')
  })
})

describe('steps that a select field omits', () => {
  it('are counted, if any', () => {
    expect(notListedText(100)).to.equal(undefined)
    expect(notListedText(1_101)).to.match(/^1,001 more not listed/)
  })
})

describe('steps that the page of a run omits', () => {
  it('are counted, if any', () => {
    expect(notShownText(903, 903)).to.equal(undefined)
    expect(notShownText(5_000, 191_215)).to.match(/^186,215 of 191,215 steps are not shown/)
  })

  it('say until when a step waits for its rate limit', () => {
    expect(waitEnd({ input: { limit: '1/h', until_ms: 5 } })).to.equal(5)
    expect(waitEnd({ input: null })).to.equal(null)
    const waits = step('each[1]/@rate', { kind: 'rate', state: 'started' })
    expect(nodeMarks([step('each[0]'), waits]).get('each')?.state).to.equal('started')
    expect(waitEnd({ input: '[left out: 5 bytes]' })).to.equal(null)
  })
})

describe('what a run waits for', () => {
  const awaited = (input: object) => awaitedText(step('wait', { kind: 'event', input: { for: input } }))

  it('is an alert or a change of a case, in words', () => {
    expect(awaited({ kind: 'alert', types: ['a', 'b'], provider: 'edr' })).to.equal(
      'an alert of type a or b from edr',
    )
    expect(awaited({ kind: 'alert', types: null, provider: null })).to.equal('an alert')
    expect(awaited({ kind: 'case', caseId: 'demo-5', events: ['closed', 'verdict_changed'] })).to.equal(
      'a change of DEMO-5 (closed or verdict changed)',
    )
    expect(awaited({ kind: 'case', caseId: null, events: null })).to.equal('a change of any case')
    expect(awaitedText(step('wait', { input: null }))).to.equal('an alert')
  })

  it('names the people whom a step asks', () => {
    const people = step('ask/@people', { kind: 'people', output: { people: ['kim', 'lee'] } })
    const asked = peopleOf([people, step('broken/@people', { kind: 'people', output: null })])
    expect([...asked]).to.deep.equal([
      ['ask/@person[0]', 'kim'],
      ['ask/@person[1]', 'lee'],
    ])
    const second = { path: 'ask/@person[1]', kind: 'checkpoint' }
    expect(rowTexts(second, asked.get(second.path))).to.deep.equal({ name: 'ask', about: 'lee' })
  })
})
