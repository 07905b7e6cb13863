import { expect } from 'chai'
import {
  answerText,
  dryRunMarks,
  follow,
  type DryRunTree,
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
  },
})
const end = (output: string) => ({ status: 'completed', output, error: null, duration_ms: 0, writes: 0 })
const way = (answer: string | null, events: DryRunTree['events'], output: string) => ({
  timeout: answer === null,
  answer,
  events,
  end: end(output),
  question: null,
})

const tree: DryRunTree = {
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
  it('goes the way of the first answer, or of that which is chosen', () => {
    const first = follow(tree, new Map())
    expect(first.steps.map(({ path }) => path)).to.deep.equal(['look', 'rings[0]', 'rings[1]'])
    expect(first.end?.output).to.equal('rung')
    const other = follow(tree, new Map([['sure', 1]]))
    expect(other.steps.map(({ path }) => path)).to.deep.equal(['look', 'quiet'])
    expect(other.end?.output).to.equal('late')
    expect(other.questions.map(({ chosen }) => chosen)).to.deep.equal([1])
  })

  it('has no end on a way that was not tried', () => {
    const untried = { events: [step('look')], end: null, question: null }
    expect(follow(untried, new Map()).end).to.equal(null)
    expect(follow(tree, new Map([['sure', 9]])).end).to.equal(null)
  })

  it('marks writes as not done, and says of no step how long it took', () => {
    const marks = dryRunMarks(follow(tree, new Map()).steps)
    expect(marks.get('rings')).to.deep.equal({ state: 'not_done', count: 2, took: '' })
    expect(marks.get('look')).to.deep.equal({ state: 'completed', count: 1, took: '' })
    expect(marks.get('quiet')).to.equal(undefined)
  })

  it('names answers, whatever they are', () => {
    const [yes, late] = tree.question?.ways ?? []
    expect(yes && answerText(yes)).to.equal('yes')
    expect(late && answerText(late)).to.equal('no answer in time')
    expect(answerText({ ...way(null, [], ''), timeout: false, answer: { n: 1 } })).to.equal('{"n":1}')
  })
})
