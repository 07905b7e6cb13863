import { expect } from 'chai'
import { SkillError } from '../../core/plugin/index.ts'
import { systemClock } from '../../server/clock.ts'
import { openBench, type Bench, type TestSkills } from '../engine/support/bench.ts'
import { rehearsal, version } from './support.ts'
import { eventually } from '../support/eventually.ts'
import { somebody } from '../support/somebody.ts'

describe('a retry of a partly aborted run', () => {
  let bench: Bench

  beforeEach(async () => {
    bench = await openBench(systemClock)
  })
  afterEach(() => bench.close())

  /** Whether two others were called, and the journal has the ends of all calls. */
  async function haveOthersEnded(): Promise<true | undefined> {
    const keys = bench.calls.filter(({ skill }) => skill !== 'x.cancel').map(({ key }) => key)
    const entries = await Promise.all(
      keys.map((key) => bench.stores.journal.entry(...(key.split(/\/(.*)/s) as [string, string]))),
    )
    return (keys.length > 1 && entries.every((entry) => typeof entry?.endedAt === 'number')) || undefined
  }

  const skills = (broken: { is: boolean }, cancel?: AbortController): TestSkills => ({
    'x.write': (input) => input,
    'x.bad': () => {
      if (broken.is) throw new SkillError('http_500', 'broken')
      return {}
    },
    'x.cancel': async () => {
      if (broken.is) await eventually('the end of its neighbours', haveOthersEnded)
      if (broken.is) cancel?.abort()
      return {}
    },
    'x.slow': () => (broken.is ? new Promise(() => {}) : {}),
  })
  const pathsOf = (calls: Bench['calls']) => calls.map(({ key }) => key.slice(key.indexOf('/') + 1))

  /** The calls made by the retry of a run that ended during an outage. */
  async function calledAgain(steps: Parameters<typeof version>[0]['steps']) {
    const playbook = version({ steps }, 'a')
    const { first, goOn, retries } = rehearsal(bench, [playbook])
    const broken = { is: true }
    const cancel = new AbortController()
    const all = skills(broken, cancel)
    const { run } = await first(playbook, all, cancel.signal)
    broken.is = false
    bench.calls.length = 0
    const { outcome } = await goOn(await retries.retry('all', run.uuid, 'same', somebody()), all)
    expect(outcome.status).to.equal('completed')
    return pathsOf(bench.calls)
  }

  it('repeats items that a cancellation ended, even if failed items are skipped', async () => {
    const each = {
      id: 'each',
      foreach: ['x.write', 'x.cancel', 'x.write'],
      onItemError: 'continue',
      steps: [
        { id: 'a', uses: 'x.write', with: {} },
        { id: 'b', if: 'index == 1', uses: 'x.cancel', with: {} },
      ],
    } as const
    expect(await calledAgain([each])).to.deep.equal(['each[1]/b', 'each[2]/a'])
  })

  it('repeats a failed branch whose sibling was cancelled', async () => {
    const parallel = [
      { id: 'bad', uses: 'x.bad', with: {} },
      { id: 'good', uses: 'x.write', with: {} },
      { id: 'cancel', uses: 'x.cancel', with: {} },
    ]
    expect((await calledAgain([{ id: 'all', parallel }])).toSorted()).to.deep.equal(['all/bad', 'all/cancel'])
  })

  it('repeats a timed-out step, even if the failure was handled, and its readers', async () => {
    const steps = [
      {
        id: 'group',
        timeoutMs: 1_000,
        onError: [{ id: 'note', uses: 'x.write', with: {} }],
        steps: [
          { id: 'done', uses: 'x.write', with: {} },
          { id: 'slow', uses: 'x.slow', with: {} },
        ],
      },
      { id: 'reader', uses: 'x.write', with: { ok: '${{ steps.group.ok }}' } },
      { id: 'other', uses: 'x.write', with: { ok: '${{ steps.done.ok }}' } },
      { id: 'bad', uses: 'x.bad', with: {} },
    ]
    expect(await calledAgain(steps)).to.deep.equal(['group/slow', 'reader', 'bad'])
  })

  it('restarts an exhausted repeat from its first round', async () => {
    const playbook = version(
      {
        steps: [
          { id: 'a', uses: 'x.write', with: {} },
          { id: 'poll', uses: 'x.poll', repeat: { until: 'output.done', everyMs: 1, max: 2 } },
        ],
      },
      'a',
    )
    const { first, goOn, retries } = rehearsal(bench, [playbook])
    const { run } = await first(playbook, { ...skills({ is: false }), 'x.poll': () => ({ done: false }) })
    expect(run.error?.code).to.equal('repeat_exhausted')
    bench.calls.length = 0
    const next = await retries.retry('all', run.uuid, 'same', somebody())
    const { outcome } = await goOn(next, { ...skills({ is: false }), 'x.poll': () => ({ done: true }) })
    expect(outcome.status).to.equal('completed')
    expect(pathsOf(bench.calls)).to.deep.equal(['poll#1'])
  })

  it('does not repeat an answered question', async () => {
    const playbook = version(
      {
        steps: [
          { id: 'sure', checkpoint: { via: 'x.ask', answers: ['yes'], withinMs: 60_000 } },
          { id: 'bad', uses: 'x.bad', with: {} },
        ],
      },
      'a',
    )
    const { first, goOn, retries } = rehearsal(bench, [playbook])
    const broken = { is: true }
    const all: TestSkills = {
      ...skills(broken),
      'x.ask': async (input) => {
        const { checkpoint_id: id } = input as { readonly checkpoint_id: string }
        await bench.stores.checkpoints.answer(id, { value: 'yes', text: null }, somebody('ann'))
        return {}
      },
    }
    const { run } = await first(playbook, all)
    broken.is = false
    bench.calls.length = 0
    const { outcome, run: ended } = await goOn(await retries.retry('all', run.uuid, 'same', somebody()), all)
    expect(outcome.status).to.equal('completed')
    expect(pathsOf(bench.calls)).to.deep.equal(['bad'])
    const answer = await bench.stores.journal.entry(ended.uuid, 'sure')
    expect(answer?.output).to.include({ answer: 'yes', by: 'ann' })
    expect((await bench.stores.journal.entry(ended.uuid, 'sure/@ask'))?.carriedFrom).to.equal(run.uuid)
  })
})
