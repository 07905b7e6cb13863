import { expect } from 'chai'
import type { EffectAttempt } from '../../core/engine/durable-context.ts'
import { SkillError } from '../../core/plugin/index.ts'
import { systemClock } from '../../server/clock.ts'
import { journalOf, openBench, type Bench, type TestSkills } from '../engine/support/bench.ts'
import { rehearsal, version } from './support.ts'

const source = {
  steps: [
    { id: 'user', set: { name: 'ann' } },
    { id: 'never', if: 'steps.user.output.name == "eve"', uses: 'x.write' },
    { id: 'intel', uses: 'x.write', with: { name: '${{ steps.user.output.name }}' } },
    {
      id: 'gather',
      parallel: [
        { id: 'one', uses: 'x.write', with: { n: 1 } },
        {
          id: 'two',
          uses: 'x.bad',
          onError: [{ id: 'instead', uses: 'x.write', with: { why: '${{ error.code }}' } }],
          default: 2,
        },
        {
          id: 'three',
          steps: [
            { id: 'deep', wait: 1 },
            { id: 'deeper', uses: 'x.write', with: { n: 3 } },
          ],
        },
      ],
    },
    {
      id: 'each',
      foreach: ['a', 'b', 'c'],
      concurrency: 2,
      steps: [
        { id: 'look', uses: 'x.write', with: { item: '${{ item }}' } },
        { id: 'odd', if: 'item != "b"', uses: 'x.write', with: { item: '${{ steps.look.output.item }}' } },
      ],
    },
    { id: 'ready', uses: 'x.poll', repeat: { until: 'output.done', everyMs: 1, max: 5 } },
    { id: 'sub', call: 'called', with: {} },
    {
      id: 'outcome',
      switch: [
        { when: 'steps.two.output == 2', steps: [{ id: 'isolated', uses: 'x.write', with: { n: 9 } }] },
      ],
      else: [{ fail: 'never here' }],
    },
  ],
  finally: [{ id: 'tell', uses: 'x.write', with: { status: '${{ run.status }}' } }],
  outputs: { sub: '${{ steps.sub.output }}', each: '${{ steps.each.items.map(i, i.status) }}' },
} as const

const playbook = version(source, 'a')
const called = version(
  {
    name: 'called',
    steps: [
      { id: 'within', uses: 'x.write', with: { n: 5 } },
      { id: 'again', uses: 'x.write', with: { n: '${{ steps.within.output.n }}' } },
    ],
    finally: [{ id: 'clean', uses: 'x.write', with: { clean: true } }],
    outputs: { n: '${{ steps.again.output.n }}' },
  },
  'c',
)

/** Calls that took effect, by path without the run; the `at`-th call fails, as long as there is one. */
function world(at: number) {
  const effects: string[] = []
  let calls = 0
  const call = (input: unknown, { idempotencyKey }: EffectAttempt): unknown => {
    if (++calls === at) throw new SkillError('http_500', 'broken')
    effects.push(idempotencyKey.slice(idempotencyKey.indexOf('/') + 1))
    return input
  }
  const skills: TestSkills = {
    'x.write': call,
    'x.poll': (_input, attempt) => {
      call({}, attempt)
      return { done: attempt.idempotencyKey.endsWith('#3') }
    },
    'x.bad': () => {
      throw new SkillError('bad', 'bad')
    },
  }
  return { skills, effects, calls: () => calls }
}

describe('a retry, whichever call failed', () => {
  let bench: Bench

  beforeEach(async () => {
    bench = await openBench(systemClock)
  })
  afterEach(() => bench.close())

  it('comes to the end of a run without a failure, and repeats only what the preview says', async () => {
    const { first, goOn, reruns } = rehearsal(bench, [playbook, called])
    const whole = world(0)
    const reference = await first(playbook, whole.skills)
    expect(reference.outcome.status).to.equal('completed')
    const expected = (await journalOf(bench.stores, reference.run.uuid)).map(comparable)
    for (let at = 1; at <= whole.calls(); at++) {
      const { skills, effects } = world(at)
      const failed = await first(playbook, skills)
      // What handles an error, and what comes at the end, may fail too.
      expect(failed.outcome.status, `call ${at}`).to.equal('failed')
      const preview = await reruns.preview('all', failed.run.uuid, 'same')
      const before = [...effects]
      const queued = await reruns.retry('all', failed.run.uuid, 'same')
      const ended = await goOn(queued, skills)
      expect(ended.outcome, `call ${at}`).to.deep.equal(reference.outcome)
      expect((await journalOf(bench.stores, queued.uuid)).map(comparable), `call ${at}`).to.deep.equal(
        expected,
      )
      const repeated = effects.slice(before.length).filter((path) => before.includes(path))
      const foretold = preview.repeats.filter(({ tookEffect }) => tookEffect === 'yes')
      expect(foretold.map(({ entry }) => entry.path).toSorted(), `call ${at}`).to.deep.equal(
        repeated.toSorted(),
      )
      const mayRepeat = /(^|\/)@(finally|on_error)\//
      expect(
        repeated.filter((path) => !mayRepeat.test(path)),
        `call ${at}`,
      ).to.deep.equal([])
      expect(new Set(effects), `call ${at}`).to.deep.equal(new Set(whole.effects))
    }
  })
})

/** Without the times of waits. */
const comparable = ({ input, ...entry }: Awaited<ReturnType<typeof journalOf>>[number]) =>
  entry.kind === 'wait' ? entry : { ...entry, input }
