import { expect } from 'chai'
import { SkillError } from '../../core/plugin/index.ts'
import type { CarriedStep } from '../../core/retry/plan.ts'
import { systemClock } from '../../server/clock.ts'
import { openBench, type Bench, type TestSkills } from '../engine/support/bench.ts'
import type { StepSource } from '../engine/support/make-playbook.ts'
import { rehearsal, version } from './support.ts'
import { somebody } from '../support/somebody.ts'

const skills: TestSkills = {
  'x.read': (input) => input,
  'x.write': (input) => input,
  'x.bad': () => {
    throw new SkillError('http_500', 'broken')
  },
}
const write = (id: string, given: unknown = {}, more: Partial<StepSource> = {}): StepSource => ({
  id,
  uses: 'x.write',
  with: given,
  ...more,
})
const bad: StepSource = { id: 'bad', uses: 'x.bad', with: {} }
const fixed: StepSource = { id: 'bad', uses: 'x.read', with: {} }
const called = (letter: string, n: number) =>
  version({ name: 'called', steps: [write('in', { n })], outputs: 1 }, letter)

/** `path: carried` or `path: reason detail`, in the order of the journal. */
const told = (steps: readonly CarriedStep[]) =>
  Object.fromEntries(
    steps.map(({ entry, reason, detail }) => [
      entry.path,
      reason === null ? 'carried' : [reason, detail].filter(Boolean).join(' '),
    ]),
  )

describe('a retry with an edited playbook', () => {
  let bench: Bench

  beforeEach(async () => {
    bench = await openBench(systemClock)
  })
  afterEach(() => bench.close())

  /** Runs the original steps, and returns what a retry with the new steps carries over. */
  async function edit(
    before: readonly StepSource[],
    after: readonly StepSource[],
    callees = [called('c', 1), called('c', 1)],
  ) {
    const [old, now] = [version({ steps: before }, 'a'), version({ steps: after }, 'b')]
    const all = rehearsal(bench, [old, now, ...callees])
    all.newest.set('called', callees[0]!)
    const { run } = await all.first(old, skills)
    all.newest.set('called', callees[1]!)
    return { ...all, run, preview: await all.retries.preview('all', run.uuid, 'newest') }
  }

  it('carries over unchanged steps at the same place, even if enclosed by new steps', async () => {
    const { preview, run, retries, goOn } = await edit(
      [write('a'), write('b', { of: '${{ steps.a.output }}' }), bad],
      [write('new'), write('b', { of: '${{ steps.a.output }}' }), write('a'), fixed, write('last')],
    )
    expect(told(preview.steps)).to.deep.equal({ a: 'carried', b: 'carried', bad: 'changed bad' })
    bench.calls.length = 0
    const { outcome } = await goOn(await retries.retry('all', run.uuid, 'newest', somebody()), skills)
    expect(outcome.status).to.equal('completed')
    expect(bench.calls.map(({ key }) => key.split('/')[1])).to.deep.equal(['new', 'bad', 'last'])
  })

  it('computes a changed output of a group again without repeating the steps inside', async () => {
    const loop = (output: unknown): StepSource => ({
      id: 'each',
      foreach: [1, 2],
      steps: [write('w', { n: '${{ item }}' })],
      output,
    })
    const group = (of: string): StepSource => ({ id: 'g', steps: [write('in')], output: of })
    const first = '${{ steps.each.output[0].n }}'
    const { preview, run, retries, goOn } = await edit(
      [
        loop({ n: '${{ item }}' }),
        group(first),
        write('reads', { n: '${{ steps.g.output }}' }),
        write('other'),
        bad,
      ],
      [
        loop({ n: '${{ item + 10 }}' }),
        group(first),
        write('reads', { n: '${{ steps.g.output }}' }),
        write('other'),
        fixed,
      ],
    )
    expect(told(preview.steps)).to.deep.equal({
      'each[0]/w': 'carried',
      'each[0]': 'changed each[0]',
      'each[1]/w': 'carried',
      'each[1]': 'changed each[1]',
      each: 'inside_runs_again',
      'g/in': 'carried',
      g: 'reads_changed steps.each',
      reads: 'reads_changed steps.g',
      other: 'carried',
      bad: 'changed bad',
    })
    bench.calls.length = 0
    const { outcome } = await goOn(await retries.retry('all', run.uuid, 'newest', somebody()), skills)
    expect(outcome.status).to.equal('completed')
    expect(bench.calls.map(({ input }) => input)).to.deep.equal([{ n: 11 }, {}])
  })

  it('carries over steps with a rate limit, and asks again for one that failed by it', async () => {
    const once = { requests: 1, perMs: 1_000, policy: 'fail' } as const
    const limited = (perMs: number): StepSource => ({
      id: 'each',
      foreach: [1, 2],
      steps: [write('in', { n: '${{ item }}' })],
      rate: { requests: 1, perMs },
    })
    const { preview, run, retries, goOn } = await edit(
      [
        limited(20),
        write('a', {}, { rate: once }),
        { id: 'again', steps: [write('b', {}, { rate: once })] },
        bad,
      ],
      [
        limited(20),
        write('a', {}, { rate: once }),
        { id: 'again', steps: [write('b', {}, { rate: once })] },
        fixed,
      ],
    )
    expect(told(preview.steps)).to.include({
      'each[1]/@rate': 'carried',
      'each[1]/in': 'carried',
      a: 'carried',
      'again/b': 'carried',
      bad: 'changed bad',
    })
    bench.calls.length = 0
    const { outcome } = await goOn(await retries.retry('all', run.uuid, 'newest', somebody()), skills)
    expect([outcome.status, bench.calls.length]).to.deep.equal(['completed', 1])

    // Longer than a busy machine takes for two steps.
    const rarely = { ...once, perMs: 3_600_000 }
    const held = await edit(
      [{ id: 'each', foreach: [1, 2], ...write('h', { n: '${{ item }}' }), rate: rarely }],
      [{ id: 'each', foreach: [1, 2], ...write('h', { n: '${{ item }}' }), rate: rarely }],
    )
    expect(held.run.error?.code).to.equal('rate_exceeded')
    expect(told(held.preview.steps)).to.include({
      'h[0]': 'carried',
      'h[1]/@rate': 'failed',
      'h[1]': 'failed',
    })
  })

  it('carries over the steps of a group whose output could not be computed', async () => {
    const group = (output: string): StepSource => ({
      id: 'g',
      steps: [write('inner', { text: '{}' })],
      output,
    })
    const { preview, run, retries, goOn } = await edit(
      [group('${{ parseJson(steps.inner.output.text).gone }}')],
      [group('${{ steps.inner.output.text }}')],
    )
    expect(told(preview.steps)).to.deep.equal({ 'g/inner': 'carried', g: 'changed g' })
    bench.calls.length = 0
    const { outcome } = await goOn(await retries.retry('all', run.uuid, 'newest', somebody()), skills)
    expect([outcome.status, bench.calls.length]).to.deep.equal(['completed', 0])
  })

  it('repeats changed steps and all their readers', async () => {
    const { preview, run, retries, goOn } = await edit(
      [
        write('a', { n: 1 }),
        write('b', { of: '${{ steps.a.output.n }}' }),
        { id: 'both', steps: [write('c', { of: '${{ steps.b.output.of }}' }), write('d')] },
        write('e', { all: '${{ steps.both.status }}' }),
        { id: 'wide', parallel: [write('w', { n: 1 }), write('v')] },
        write('narrow', { n: '${{ steps.w.output.n }}' }),
        write('alone'),
        bad,
      ],
      [
        write('a', { n: 2 }),
        write('b', { of: '${{ steps.a.output.n }}' }),
        { id: 'both', steps: [write('c', { of: '${{ steps.b.output.of }}' }), write('d')] },
        write('e', { all: '${{ steps.both.status }}' }),
        { id: 'wide', parallel: [write('w', { n: 2 }), write('v')] },
        write('narrow', { n: '${{ steps.w.output.n }}' }),
        write('alone'),
        bad,
      ],
    )
    expect(told(preview.steps)).to.deep.equal({
      a: 'changed a',
      b: 'reads_changed steps.a',
      'both/c': 'reads_changed steps.b',
      'both/d': 'carried',
      both: 'inside_runs_again',
      e: 'reads_changed steps.both',
      'wide/w': 'changed wide/w',
      'wide/v': 'carried',
      wide: 'inside_runs_again',
      narrow: 'reads_changed steps.w',
      alone: 'carried',
      bad: 'failed',
    })
    expect(preview.repeats.map(({ entry, tookEffect }) => `${entry.path} ${tookEffect}`)).to.deep.equal([
      'a yes',
      'b yes',
      'both/c yes',
      'e yes',
      'wide/w yes',
      'narrow yes',
      'bad may_have',
    ])
    bench.calls.length = 0
    await goOn(await retries.retry('all', run.uuid, 'newest', somebody()), skills)
    expect(bench.calls.map(({ key }) => key.split('/').slice(1).join('/'))).to.deep.equal([
      'a',
      'b',
      'both/c',
      'e',
      'wide/w',
      'narrow',
      'bad',
    ])
  })

  it('carries over nothing inside a group whose items, cases or conditions changed', async () => {
    const inner = [write('in', { of: '${{ item }}' })]
    const { preview } = await edit(
      [
        { id: 'each', foreach: [1, 2], steps: inner },
        { id: 'case', switch: [{ when: '1 == 1', steps: [write('x')] }] },
        { id: 'if', if: '2 == 2', steps: [write('y')] },
        { id: 'same', foreach: [1, 2], maxItems: 5, steps: inner },
        { id: 'less', parallel: [write('kept'), write('dropped')] },
        bad,
      ],
      [
        { id: 'each', foreach: [2, 1], steps: inner },
        { id: 'case', switch: [{ when: '1 != 2', steps: [write('x')] }] },
        { id: 'if', if: '2 == 1 + 1', steps: [write('y')] },
        { id: 'same', foreach: [1, 2], maxItems: 9, timeoutMs: 5_000, steps: inner },
        { id: 'less', parallel: [write('kept')] },
        bad,
      ],
    )
    const verdicts = told(preview.steps)
    for (const path of ['each', 'each[0]/in', 'each[1]/in', 'each[1]'])
      expect(verdicts[path], path).to.equal('changed each')
    for (const [path, at] of [
      ['case', 'case'],
      ['case/0/x', 'case'],
      ['if', 'if'],
      ['if/y', 'if'],
    ] as const)
      expect(verdicts[path], path).to.equal(`changed ${at}`)
    for (const path of ['same', 'same[0]', 'same[0]/in', 'same[1]/in', 'less/kept', 'less'])
      expect(verdicts[path], path).to.equal('carried')
    expect(verdicts['less/dropped']).to.equal('gone')
    // Nothing repeats it.
    expect(preview.repeats.map(({ entry }) => entry.path)).not.to.include('less/dropped')
  })

  it('detects changes inside called playbooks', async () => {
    const steps: StepSource[] = [{ id: 'sub', call: 'called', with: {} }, write('after'), bad]
    const same = await edit(steps, steps)
    expect(told(same.preview.steps)).to.deep.include({
      '@playbooks/called': 'carried',
      'sub/in': 'carried',
      sub: 'carried',
    })
    const changed = await edit(steps, steps, [called('c', 1), called('d', 2)])
    expect(told(changed.preview.steps)).to.deep.include({
      '@playbooks/called': 'changed called',
      'sub/in': 'changed sub/in',
      sub: 'inside_runs_again',
      after: 'carried',
    })
  })

  it('repeats steps that depend on `now`, and steps of `on_error` that ended in a failure', async () => {
    const steps: StepSource[] = [
      { id: 'young', if: 'now != ""', steps: [write('x')] },
      write('alone', { at: '${{ now }}' }),
      {
        id: 'risky',
        uses: 'x.bad',
        with: {},
        onError: [write('note'), { id: 'worse', uses: 'x.bad', with: {} }],
      },
    ]
    const { preview } = await edit(steps, steps)
    expect(told(preview.steps)).to.deep.equal({
      'young/x': 'reads_run now',
      young: 'reads_run now',
      alone: 'carried',
      risky: 'failed',
      'risky/@on_error/note': 'followed_from_end',
      'risky/@on_error/worse': 'followed_from_end',
    })
  })

  it('keeps the inputs, and repeats readers of a changed one', async () => {
    const input = (value: unknown) => ({
      schema: {},
      type: { kind: 'dyn' } as const,
      default: { value },
      sensitive: false,
      description: undefined,
    })
    const steps = [write('a', { of: '${{ inputs.a }}' }), write('b', { of: '${{ inputs.b }}' }), bad]
    const old = version(
      {
        steps,
        inputs: new Map([
          ['a', input(1)],
          ['b', input(1)],
          ['old', input(1)],
        ]),
      },
      'a',
    )
    const now = version(
      {
        steps,
        inputs: new Map([
          ['a', input(2)],
          ['b', input(1)],
          ['new', input(1)],
        ]),
      },
      'b',
    )
    const { first, retries } = rehearsal(bench, [old, now])
    const { run } = await first(old, skills)
    const next = await retries.retry('all', run.uuid, 'newest', somebody())
    // Inputs are resolved once: a changed default does not affect the run.
    expect(next.inputs).to.deep.equal({ a: 1, b: 1, new: 1 })
    const carried = await bench.stores.journal.entries(next.uuid)
    expect(carried.map(({ path }) => path)).to.deep.equal(['a', 'b'])
  })

  it('is refused for a completed run unless its playbook changed', async () => {
    const [old, now] = [
      version({ steps: [write('a')] }, 'a'),
      version({ steps: [write('a'), write('b')] }, 'b'),
    ]
    const { first, retries, goOn, newest } = rehearsal(bench, [old, now])
    const { run } = await first(old, skills)
    for (const which of ['same', 'newest'] as const) {
      if (which === 'newest') newest.set('tested', old)
      const refused = await retries.retry('all', run.uuid, which, somebody()).catch((error: unknown) => error)
      expect(refused).to.include({ code: 'nothing_to_retry' })
    }
    newest.set('tested', now)
    bench.calls.length = 0
    await goOn(await retries.retry('all', run.uuid, 'newest', somebody()), skills)
    expect(bench.calls.map(({ key }) => key.split('/')[1])).to.deep.equal(['b'])
  })
})
