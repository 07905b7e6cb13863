import { expect } from 'chai'
import type { StepDecision } from '../../core/domain/run.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { useOneRun } from './support/one-run.ts'
import { somebody } from '../support/somebody.ts'

const by = somebody('Ada')
const does = { id: 'a', uses: 'x.do' }
const skills = {
  'x.do': () => {
    throw new Error('it happened already')
  },
}

describe('a resolved step with unknown output', () => {
  const one = useOneRun()

  /** Steps at these paths were interrupted, and a person has decided about them. */
  async function go(steps: readonly object[], paths: readonly string[], decision: StepDecision) {
    for (const path of paths) {
      const begun = { path, stepId: 'a', kind: 'x.do', input: {}, attempt: 1, startedAt: 1 }
      await one.bench.stores.journal.begin(one.run.uuid, begun)
      await one.bench.stores.journal.park(one.run.uuid, path)
      await one.bench.stores.journal.resolve(one.run.uuid, path, { decision, output: null, by })
    }
    const outcome = await one.bench.go(makePlaybook({ steps }), skills, { run: one.run })
    const entries = await one.bench.stores.journal.entries(one.run.uuid)
    return { outcome, outputAt: (path: string) => entries.find((each) => each.path === path)?.output }
  }
  const happened = (steps: readonly object[], paths: readonly string[] = ['a']) =>
    go(steps, paths, 'ran_output_unknown')

  const refused = {
    code: 'output_unknown',
    message: "the output of step 'a' is unknown: Ada decided that it ran with unknown output",
    details: { step: 'a', decision: 'ran_output_unknown' },
  }

  it('is completed, and later steps that do not read its output continue', async () => {
    const { outcome, outputAt } = await happened([
      does,
      {
        id: 'b',
        set: { status: '${{ steps.a.status }}', ok: '${{ steps.a.ok }}', has: '${{ has(steps.a.output) }}' },
      },
    ])
    expect(outcome).to.include({ status: 'completed' })
    expect(outputAt('b')).to.deep.equal({ status: 'completed', ok: true, has: false })
  })

  it('passes its default to steps that read its output', async () => {
    const { outcome, outputAt } = await happened([
      { ...does, default: { n: 7 } },
      { id: 'b', set: '${{ steps.a.output.n }}' },
    ])
    expect(outcome).to.include({ status: 'completed' })
    expect(outputAt('b')).to.equal(7)
  })

  for (const [what, expression] of Object.entries({
    'the whole output': 'steps.a.output',
    'a field of it': 'steps.a.output.n + 1',
    'a part of it, by index': "steps['a'].output['n']",
  })) {
    it(`fails a reader of ${what}, and names the decision`, async () => {
      const { outcome } = await happened([does, { id: 'b', set: `\${{ ${expression} }}` }])
      expect(outcome.status).to.equal('failed')
      expect(outcome.error).to.deep.include({ ...refused, details: { ...refused.details, path: 'b' } })
      expect(outcome.error?.hint).to.match(
        /^give the step a default, or guard it with has\(steps\.a\.output\)/,
      )
    })
  }

  it('fails a condition that reads it, which on_error handles', async () => {
    const { outcome, outputAt } = await happened([
      does,
      { id: 'b', if: 'steps.a.output.n == 1', set: 1, onError: [{ id: 'h', set: '${{ error.code }}' }] },
    ])
    expect(outcome, JSON.stringify(outcome)).to.include({ status: 'completed' })
    expect(outputAt('b/@on_error/h')).to.equal('output_unknown')
  })

  it('lets a repeat end with its default, and fails its condition without one', async () => {
    const repeat = { until: 'output.done', every: '1s', max: 2 }
    const defaulted = await happened([{ ...does, repeat, default: { done: true } }], ['a#1'])
    expect(defaulted.outcome).to.include({ status: 'completed' })
    await one.anotherRun()
    const bare = await happened([{ ...does, repeat }], ['a#1'])
    expect(bare.outcome.error).to.deep.include({ code: 'output_unknown', message: refused.message })
  })

  it('keeps the outputs of other items of a foreach readable, but not the list', async () => {
    const list = [{ ...does, foreach: '${{ [1, 2] }}' }]
    const paths = ['a[0]', 'a[1]']
    const counted = await happened([...list, { id: 'b', set: '${{ size(steps.a.items) }}' }], paths)
    expect(counted.outputAt('b')).to.equal(2)
    for (const read of ['steps.a.output', 'steps.a.items[0].output']) {
      await one.anotherRun()
      const { outcome } = await happened([...list, { id: 'b', set: `\${{ ${read} }}` }], paths)
      expect(outcome.error, read).to.deep.include({ code: 'output_unknown', message: refused.message })
    }
  })

  it('is recorded in the timeline of the case and in the journal, with the decider', async () => {
    const caseId = await one.bench.stores.runs.openCase(one.run.uuid, { title: 'x' })
    await happened([does])
    const entry = await one.entry()
    expect(entry).to.deep.include({ state: 'completed', output: null })
    expect(entry?.resolution).to.deep.include({ decision: 'ran_output_unknown' })
    expect(entry?.resolution?.by).to.include({ name: 'Ada' })
    const { data } = await one.bench.stores.cases.timeline('all', caseId, { limit: 10 })
    const said = data.find(({ text }) => text.includes('output unknown'))
    expect(said?.text).to.equal(
      'decided about step a (x.do), whose outcome was unknown: it happened, output unknown',
    )
    expect(said?.kind).to.equal('decision')
    expect(said?.actor).to.include({ name: 'Ada' })
  })
})
