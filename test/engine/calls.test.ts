import { expect } from 'chai'
import type { Input, Playbook } from '../../core/playbook/language/playbook.ts'
import { string } from '../../core/expression/index.ts'
import { journalOf, openBench, type Bench } from './support/bench.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock, settle } from './support/manual-clock.ts'

const text = (preset?: string, isSensitive = false): Input => ({
  schema: { type: 'string' },
  type: string,
  default: preset === undefined ? undefined : { value: preset },
  sensitive: isSensitive,
  description: undefined,
})

describe('a called playbook', () => {
  let bench: Bench
  beforeEach(async () => {
    bench = await openBench(new ManualClock())
  })
  afterEach(() => bench.close())

  /** The newest version of each name is the last one of the list. */
  const callable = (...all: readonly Playbook[]) => {
    const hashOf = (playbook: Playbook) => `${playbook.name}@${all.indexOf(playbook)}`
    return {
      newest: (name: string) => {
        const found = all.findLast((playbook) => playbook.name === name)
        return found && hashOf(found)
      },
      load: async (hash: string) => all.find((playbook) => hashOf(playbook) === hash)!,
    }
  }
  const contain = makePlaybook({
    name: 'contain',
    inputs: new Map([
      ['host', text()],
      ['why', text('no reason')],
    ]),
    steps: [
      { id: 'isolate', uses: 'isolate', with: { host: '${{ inputs.host }}', why: '${{ inputs.why }}' } },
    ],
    outputs: { host: '${{ inputs.host }}', at: '${{ steps.isolate.output }}' },
  })
  const caller = (inputs: unknown) =>
    makePlaybook({
      steps: [{ id: 'contained', call: 'contain', with: inputs }],
      outputs: '${{ steps.contained.output }}',
    })

  it('runs inside the run: its own inputs and steps, journaled below the call', async () => {
    const run = await bench.startRun()
    const playbooks = callable(contain)
    const outcome = await bench.go(caller({ host: 'pc-1' }), { isolate: () => 'now' }, { run, playbooks })
    expect(outcome).to.deep.include({ status: 'completed', output: { host: 'pc-1', at: 'now' } })
    expect((await journalOf(bench.stores, run.uuid)).map(({ path }) => path)).to.deep.equal([
      '@playbooks/contain',
      'contained',
      'contained/isolate',
    ])
    expect(bench.calls[0]?.input).to.deep.equal({ host: 'pc-1', why: 'no reason' })
  })

  it('fails the step if the inputs are invalid or the playbook does not exist', async () => {
    const playbooks = callable(contain)
    expect(await bench.go(caller({}), {}, { playbooks })).to.nested.include({
      'error.code': 'inputs_invalid',
    })
    expect(await bench.go(caller({ host: 1 }), {}, { playbooks })).to.nested.include({
      'error.code': 'inputs_invalid',
    })
    expect(await bench.go(caller({ host: 'x' }), {})).to.nested.include({
      'error.code': 'playbook_not_found',
    })
    expect(bench.calls).to.deep.equal([])
  })

  it('ends with its own return and fail, and the caller continues', async () => {
    const returns = makePlaybook({ name: 'contain', steps: [{ return: 7 }, { uses: 'never' }] })
    expect(await bench.go(caller({}), {}, { playbooks: callable(returns) })).to.include({ output: 7 })
    const fails = makePlaybook({ name: 'contain', steps: [{ fail: 'no way' }] })
    const handled = makePlaybook({
      steps: [{ id: 'c', call: 'contain', onError: 'continue', default: 'handled' }],
      outputs: '${{ steps.c.output + ": " + steps.c.error.message }}',
    })
    expect(await bench.go(handled, {}, { playbooks: callable(fails) })).to.include({
      output: 'handled: no way',
    })
  })

  it('runs its own finally and on_error', async () => {
    const careful = makePlaybook({
      name: 'contain',
      steps: [{ set: { x: '${{ alert.nothing }}' } }],
      onError: [{ id: 'repair', uses: 'note', with: { why: '${{ error.code }}' } }],
      finally: [{ id: 'tell', uses: 'note', with: { status: '${{ run.status }}' } }],
    })
    const run = await bench.startRun()
    const outcome = await bench.go(
      caller({}),
      { note: (input) => input },
      { run, playbooks: callable(careful) },
    )
    expect(outcome.status).to.equal('failed')
    const paths = (await journalOf(bench.stores, run.uuid)).map(({ path }) => path)
    expect(paths).to.include.members(['contained/@on_run_error/repair', 'contained/@finally/tell'])
  })

  it('is the live version at the first call, for the whole run', async () => {
    const clock = new ManualClock()
    await bench.close()
    bench = await openBench(clock)
    const run = await bench.startRun()
    const old = makePlaybook({ name: 'contain', steps: [{ return: 'old' }] })
    const edited = makePlaybook({ name: 'contain', steps: [{ return: 'new' }] })
    const twice = makePlaybook({
      steps: [
        { id: 'a', call: 'contain' },
        { id: 'pause', wait: 1_000 },
        { id: 'b', call: 'contain' },
      ],
      outputs: ['${{ steps.a.output }}', '${{ steps.b.output }}'],
    })
    const stop = new AbortController()
    const before = bench.go(twice, {}, { run, playbooks: callable(old), stop: stop.signal })
    before.catch(() => {})
    await settle()
    stop.abort()
    await before.catch(() => {})
    // Simulates another process after an edit.
    const playbooks = callable(old, edited)
    const after = bench.go(twice, {}, { run, playbooks })
    await clock.advance(1_000)
    expect(await after).to.deep.include({ output: ['old', 'old'] })
    const next = bench.go(twice, {}, { playbooks })
    await clock.advance(1_000)
    expect(await next).to.deep.include({ output: ['new', 'new'] })
  })

  it('is refused if its sensitive inputs differ from those in the check of its caller', async () => {
    const inner = (isMarked: boolean, output?: Playbook['masks']['output']) =>
      makePlaybook({
        name: 'contain',
        inputs: new Map([['host', text(undefined, isMarked)]]),
        masks: { inputs: isMarked ? { fields: { host: true } } : undefined, output },
        steps: [{ id: 'isolate', uses: 'isolate', with: {} }],
      })
    const outer = makePlaybook({
      steps: [
        {
          id: 'contained',
          call: 'contain',
          with: { host: 'pc-1' },
          sensitive: { input: { fields: { host: true } } },
        },
      ],
    })
    const go = (called: Playbook) => bench.go(outer, { isolate: () => 1 }, { playbooks: callable(called) })
    expect(await go(inner(true))).to.include({ status: 'completed' })
    expect(bench.calls).to.have.length(1)
    for (const other of [inner(false), inner(true, true)])
      expect(await go(other)).to.nested.include({ 'error.code': 'call_marks_differ' })
    expect(bench.calls).to.have.length(1)
  })

  it('never calls itself, directly or indirectly', async () => {
    const loop = makePlaybook({ name: 'contain', steps: [{ call: 'contain' }] })
    expect(await bench.go(caller({}), {}, { playbooks: callable(loop) })).to.nested.include({
      'error.code': 'call_cycle',
    })
  })

  it('ends with its timeout, as does the step', async () => {
    const clock = new ManualClock()
    await bench.close()
    bench = await openBench(clock)
    const slow = makePlaybook({ name: 'contain', timeoutMs: 5_000, steps: [{ wait: 60_000 }] })
    const going = bench.go(caller({}), {}, { playbooks: callable(slow) })
    await clock.advance(5_000)
    expect(await going).to.nested.include({ status: 'failed', 'error.code': 'step_timeout' })
  })
})

describe('the end of a playbook', () => {
  let bench: Bench
  beforeEach(async () => {
    bench = await openBench(new ManualClock())
  })
  afterEach(() => bench.close())
  const skills = { note: (input: unknown) => input }

  it('runs on_error for a failed step, and the run still fails unless it returns', async () => {
    const handled = (last: object) =>
      makePlaybook({
        steps: [
          { id: 'a', fail: 'x', if: 'false' },
          { id: 'b', set: { x: '${{ alert.nothing }}' } },
        ],
        onError: [
          { id: 'note', uses: 'note', with: { code: '${{ error.code }}' } },
          ...[last].filter((each) => Object.keys(each).length > 0),
        ],
      })
    expect(await bench.go(handled({}), skills)).to.include({ status: 'failed' })
    expect(bench.calls).to.have.length(1)
    expect(await bench.go(handled({ return: 'repaired' }), skills)).to.include({ output: 'repaired' })
  })

  it('does not run on_error after `fail`', async () => {
    const playbook = makePlaybook({ steps: [{ fail: 'on purpose' }], onError: [{ uses: 'note' }] })
    expect(await bench.go(playbook, skills)).to.nested.include({ 'error.message': 'on purpose' })
    expect(bench.calls).to.deep.equal([])
  })

  it('shows finally the reason of a failed run, or null', async () => {
    const tell = { id: 'tell', uses: 'note', with: { why: '${{ error == null ? "" : error.message }}' } }
    await bench.go(makePlaybook({ steps: [{ fail: 'no' }], finally: [tell] }), skills)
    await bench.go(makePlaybook({ steps: [{ return: 1 }], finally: [tell] }), skills)
    expect(bench.calls.map(({ input }) => input)).to.deep.equal([{ why: 'no' }, { why: '' }])
  })

  it('fails before the first step if the alert does not match the declaration', async () => {
    const playbook = makePlaybook({
      alertSchema: { type: 'object', required: ['risk'], properties: { risk: { type: 'number' } } },
      steps: [{ uses: 'note' }],
      finally: [{ uses: 'note' }],
    })
    const outcome = await bench.go(playbook, skills, { names: { alert: { data: { risk: 'high' } } } })
    expect(outcome).to.nested.include({ status: 'failed', 'error.code': 'alert_not_as_declared' })
    expect(outcome.error?.message).to.include('/risk')
    expect(bench.calls).to.deep.equal([])
  })
})
