import { expect } from 'chai'
import {
  answerText,
  dryRunMarks,
  followPath,
  type ApiDryRunTree,
} from '../../server/web/playbooks/dry-run/dry-run.ts'

const step = (path: string) => ({
  step: {
    path,
    kind: 'set',
    state: 'completed' as const,
    attempt: 1,
    started_at: 5,
    ended_at: 5,
    input: null,
    output: null,
    error: null,
  },
})
const write = (path: string) => ({
  would_do: {
    path,
    skill: 'tower.ring_bell',
    connection: null,
    input: { times: 1 },
    output: {},
    output_from: 'schema' as const,
    undo: null,
  },
})
const end = (output: string) => ({ status: 'completed', output, error: null, duration_ms: 0, writes: 0 })
const way = (answer: string | null, events: ApiDryRunTree['events'], output: string) => ({
  timeout: answer === null,
  answer,
  events,
  end: end(output),
  question: null,
})

const tree: ApiDryRunTree = {
  events: [step('look')],
  end: null,
  question: {
    path: 'sure',
    via: 'operator',
    input: {},
    ways: [way('yes', [write('rings[0]'), write('rings[1]')], 'rung'), way(null, [step('quiet')], 'late')],
  },
}

describe('dry run in the page', () => {
  it('follows the first answer, or the chosen one', () => {
    const first = followPath(tree, new Map())
    expect(first.steps.map(({ path }) => path)).to.deep.equal(['look', 'rings[0]', 'rings[1]'])
    expect(first.end?.output).to.equal('rung')
    const other = followPath(tree, new Map([['sure', 1]]))
    expect(other.steps.map(({ path }) => path)).to.deep.equal(['look', 'quiet'])
    expect(other.end?.output).to.equal('late')
    expect(other.questions.map(({ chosen }) => chosen)).to.deep.equal([1])
  })

  it('has no end on a path that was not run', () => {
    const untried = { events: [step('look')], end: null, question: null }
    expect(followPath(untried, new Map()).end).to.equal(null)
    expect(followPath(tree, new Map([['sure', 9]])).end).to.equal(null)
  })

  it('marks skipped writes and shows no durations', () => {
    const marks = dryRunMarks(followPath(tree, new Map()).steps)
    expect(marks.get('rings')).to.deep.equal({ state: 'not_done', count: 2, took: '' })
    expect(marks.get('look')).to.deep.equal({ state: 'completed', count: 1, took: '' })
    expect(marks.get('quiet')).to.equal(undefined)
  })

  it('labels answers of any type', () => {
    const [yes, late] = tree.question?.ways ?? []
    expect(yes && answerText(yes)).to.equal('yes')
    expect(late && answerText(late)).to.equal('no answer in time')
    expect(answerText({ ...way(null, [], ''), timeout: false, answer: { n: 1 } })).to.equal('{"n":1}')
  })
})
