import { expect } from 'chai'
import { toStepGraph } from '../../core/playbook/language/step-graph.ts'
import { example } from './example.ts'
import { parsed, withSteps } from './support.ts'

const edgesOf = (source: string) =>
  toStepGraph(parsed(source)).edges.map(
    ({ from, to, kind, label }) => `${from} -${kind}-> ${to}${label === undefined ? '' : ` (${label})`}`,
  )

describe('the step graph', () => {
  it('connects steps in order, around conditional ones, and into finally', () => {
    const steps = `
  - { id: a, set: { x: 1 } }
  - { if: run.dry_run, return: 1 }
  - { id: g, if: run.dry_run, steps: [{ id: b, set: { x: 1 } }] }`
    expect(edgesOf(withSteps(steps, 'finally: [{ id: z, set: { x: 1 } }]'))).to.deep.equal([
      '@start -sequence-> a',
      'a -sequence-> 1',
      '1 -sequence-> g',
      'g -branch-> g/b',
      'g/b -finally-> @finally/z',
      'g -finally-> @finally/z',
      '1 -finally-> @finally/z',
      '@finally/z -sequence-> @end',
    ])
  })

  it('branches and joins at parallel and switch, and shows the handling of errors', () => {
    const steps = `
  - { id: p, parallel: [{ id: a, set: { x: 1 } }, { uses: case.update, on_error: [{ id: h, set: { x: 1 } }] }] }
  - { id: s, switch: [{ when: run.dry_run, steps: [{ fail: x }] }], else: [{ id: e, set: { x: 1 } }] }`
    expect(edgesOf(withSteps(steps))).to.deep.equal([
      '@start -sequence-> p',
      'p -branch-> p/a',
      'p -branch-> p/1',
      'p/1 -error-> p/1/@on_error/h',
      'p/a -join-> p/@join',
      'p/1 -join-> p/@join',
      'p/1/@on_error/h -join-> p/@join',
      'p/@join -sequence-> s',
      's -branch-> s/0/0 (run.dry_run)',
      's -branch-> s/else/e (else)',
      's/else/e -join-> s/@join',
      's/@join -sequence-> @end',
      's/0/0 -sequence-> @end',
    ])
  })

  it('does not join branches that all end the run', () => {
    const steps =
      '  - { id: s, switch: [{ when: run.dry_run, steps: [{ fail: x }] }], else: [{ return: 1 }] }'
    expect(edgesOf(withSteps(steps))).to.deep.equal([
      '@start -sequence-> s',
      's -branch-> s/0/0 (run.dry_run)',
      's -branch-> s/else/0 (else)',
      's/0/0 -sequence-> @end',
      's/else/0 -sequence-> @end',
    ])
  })

  it('shows literal wait times and failure messages', () => {
    const { nodes } = toStepGraph(parsed(withSteps('  - wait: 90m\n  - fail: Nothing else to do')))
    expect(nodes.map(({ detail }) => detail)).to.deep.equal([
      undefined,
      '1h30m',
      'Nothing else to do',
      undefined,
    ])
  })

  it('bypasses a conditional parallel or switch', () => {
    const steps = '  - { id: s, switch: [{ when: run.dry_run, steps: [{ fail: x }] }] }'
    expect(edgesOf(withSteps(steps))).to.include('s -branch-> s/@join (else)')
    const skipped = '  - { id: p, if: run.dry_run, parallel: [{ id: a, set: { x: 1 } }] }'
    expect(edgesOf(withSteps(skipped))).to.include('p -join-> p/@join')
  })

  it('has unique nodes, edges only between them, and a path from start to every node', () => {
    const { nodes, edges } = toStepGraph(parsed(example))
    const ids = new Set(nodes.map(({ id }) => id))
    expect(ids.size).to.equal(nodes.length)
    for (const { from, to } of edges) expect(ids.has(from) && ids.has(to), `${from} ${to}`).to.equal(true)
    const reached = new Set(['@start'])
    for (let size = 0; size !== reached.size;) {
      size = reached.size
      for (const { from, to } of edges) if (reached.has(from)) reached.add(to)
    }
    expect(nodes.map(({ id }) => id).filter((id) => !reached.has(id))).to.deep.equal([])
  })

  it('has the kind and line of each node', () => {
    const { nodes } = toStepGraph(parsed(example))
    expect(nodes.find(({ id }) => id === 'gather/trips')).to.deep.equal({
      id: 'gather/trips',
      kind: 'uses',
      label: 'trips',
      name: 'trips',
      line: 28,
      parent: 'gather',
      isConditional: false,
      isForeach: false,
      skill: 'travel.search_user_travel',
    })
    expect(nodes.find(({ id }) => id === 'visits')).to.include({
      label: 'Every country of the trips',
      isForeach: true,
    })
  })
})
