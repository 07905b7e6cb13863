import { expect } from 'chai'
import type { EffectAttempt } from '../../core/engine/journal/durable-context.ts'
import { SkillError } from '../../core/plugin/index.ts'
import type { RepeatedEffect } from '../../core/retry/plan.ts'
import { systemClock } from '../../server/clock.ts'
import { journalOf, openBench, type Bench, type TestSkills } from '../engine/support/bench.ts'
import { rehearsal, version } from './support.ts'
import { somebody } from '../support/somebody.ts'

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

/** Effects of calls, by their path in the run. `happens` is called during call number `at`. */
function world(at: number, happens: () => void) {
  const effects: string[] = []
  let calls = 0
  const call = (input: unknown, { idempotencyKey }: EffectAttempt): unknown => {
    if (++calls === at) happens()
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

describe('a retry', () => {
  let bench: Bench

  beforeEach(async () => {
    bench = await openBench(systemClock)
  })
  afterEach(() => bench.close())

  const journal = async (uuid: string) => (await journalOf(bench.stores, uuid)).map(comparable)

  async function reference() {
    const { skills, calls, effects } = world(0, () => {})
    const { run, outcome } = await rehearsal(bench, [playbook, called]).first(playbook, skills)
    expect(outcome.status).to.equal('completed')
    return { outcome, entries: await journal(run.uuid), calls: calls(), effects: new Set(effects) }
  }

  /** Ends a run at this call, and retries it. */
  async function endedAt(at: number, end: () => void, cancel?: AbortSignal) {
    const { first, goOn, retries } = rehearsal(bench, [playbook, called])
    const { skills, effects } = world(at, end)
    const before = await first(playbook, skills, cancel)
    const done = [...effects]
    const { repeats } = await retries.preview('all', before.run.uuid, 'same')
    const after = await goOn(await retries.retry('all', before.run.uuid, 'same', somebody()), skills)
    const repeated = effects.slice(done.length).filter((path) => done.includes(path))
    const foretold = (which: RepeatedEffect['tookEffect']) =>
      repeats.filter(({ tookEffect }) => tookEffect === which).map(({ entry }) => entry.path)
    return { before, after, effects, repeated: repeated.toSorted(), foretold }
  }

  it('ends like a run without a failure, whichever call failed, and repeats what the preview says', async () => {
    const whole = await reference()
    for (let at = 1; at <= whole.calls; at++) {
      const { before, after, effects, repeated, foretold } = await endedAt(at, () => {
        throw new SkillError('http_500', 'broken')
      })
      expect(before.outcome.status, `call ${at}`).to.equal('failed')
      expect(after.outcome, `call ${at}`).to.deep.equal(whole.outcome)
      expect(await journal(after.run.uuid), `call ${at}`).to.deep.equal(whole.entries)
      expect(foretold('yes').toSorted(), `call ${at}`).to.deep.equal(repeated)
      const consequence = /(^|\/)@(finally|on_error)\//
      expect(
        repeated.filter((path) => !consequence.test(path)),
        `call ${at}`,
      ).to.deep.equal([])
      expect(new Set(effects), `call ${at}`).to.deep.equal(whole.effects)
    }
  })

  it('ends the same after a cancellation during any call', async () => {
    const whole = await reference()
    // The last call belongs to `finally`, which continues.
    for (let at = 1; at < whole.calls; at++) {
      const cancel = new AbortController()
      const { before, after, repeated, foretold } = await endedAt(at, () => cancel.abort(), cancel.signal)
      expect(before.outcome.status, `call ${at}`).to.equal('cancelled')
      expect(after.outcome, `call ${at}`).to.deep.equal(whole.outcome)
      expect(await journal(after.run.uuid), `call ${at}`).to.deep.equal(whole.entries)
      expect([...foretold('yes'), ...foretold('may_have')], `call ${at}`).to.include.members(repeated)
      expect(repeated, `call ${at}`).to.include.members(foretold('yes'))
    }
  })
})

/** Without the times of waits. */
const comparable = ({ input, ...entry }: Awaited<ReturnType<typeof journalOf>>[number]) =>
  entry.kind === 'wait' ? entry : { ...entry, input }
