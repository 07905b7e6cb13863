import { expect } from 'chai'
import { RetryableError } from '../../core/plugin/index.ts'
import { openBench, type Bench } from './support/bench.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock } from './support/manual-clock.ts'
import { echo, no } from './support/skills.ts'

describe('interpreter: basics', () => {
  let bench: Bench
  let clock: ManualClock
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
  })
  afterEach(() => bench.close())

  const paths = async (uuid: string) =>
    (await bench.stores.journal.entries(uuid)).map(({ path, state }) => `${path} ${state}`).toSorted()

  describe('steps in order', () => {
    it('passes outputs from step to step and returns the outputs of the run', async () => {
      const playbook = makePlaybook({
        steps: [
          { id: 'a', set: { n: 20 } },
          {
            id: 'b',
            uses: 'x.echo',
            with: { n: '${{ steps.a.output.n + 1 }}', text: 'n=${{ steps.a.output.n }}' },
          },
        ],
        outputs: { result: '${{ steps.b.output }}', ok: '${{ steps.b.ok }}' },
      })
      const outcome = await bench.go(playbook, { 'x.echo': echo })
      expect(outcome).to.deep.equal({
        status: 'completed',
        output: { result: { n: 21, text: 'n=20' }, ok: true },
        error: null,
      })
      expect(bench.calls).to.have.length(1)
    })

    it('stops at the first failing step and names it', async () => {
      const playbook = makePlaybook({
        steps: [
          { id: 'a', uses: 'x.no' },
          { id: 'b', uses: 'x.echo' },
        ],
      })
      const outcome = await bench.go(playbook, { 'x.no': no, 'x.echo': echo })
      expect(outcome.status).to.equal('failed')
      expect(outcome.error).to.deep.equal({
        code: 'said_no',
        message: 'no',
        hint: 'ask somebody else',
        details: { path: 'a' },
      })
      expect(bench.calls.map((call) => call.skill)).to.deep.equal(['x.no'])
    })

    it('fails a step whose input cannot be computed, without calling the skill', async () => {
      const run = await bench.startRun()
      const playbook = makePlaybook({ steps: [{ uses: 'x.echo', with: { v: '${{ alert.missing }}' } }] })
      const outcome = await bench.go(playbook, { 'x.echo': echo }, { run })
      expect(outcome.status).to.equal('failed')
      expect(outcome.error?.details?.['path']).to.equal('0')
      expect(bench.calls).to.deep.equal([])
      expect(await paths(run.uuid)).to.deep.equal(['0 failed'])
    })

    it("keeps the stack of a skill's bug out of the store and logs it", async () => {
      const playbook = makePlaybook({ steps: [{ uses: 'x.bug' }] })
      const bug = () => {
        throw new TypeError('cannot read the password hunter2')
      }
      const outcome = await bench.go(playbook, { 'x.bug': bug })
      expect(outcome.error?.code).to.equal('internal_error')
      expect(JSON.stringify(outcome)).not.to.contain('hunter2')
      expect(String(bench.logged[0]?.['stack'])).to.contain('hunter2')
    })
  })

  describe('if', () => {
    it('skips a step whose condition is false, records it, and uses its default', async () => {
      const run = await bench.startRun()
      const playbook = makePlaybook({
        steps: [
          { id: 'a', if: '1 > 2', uses: 'x.no', default: { n: 7 } },
          { id: 'b', if: '1 > 2', uses: 'x.no' },
          {
            id: 'c',
            if: 'steps.a.output.n == 7',
            set: { status: '${{ steps.a.status }}', has: '${{ has(steps.b.output) }}' },
          },
        ],
        outputs: '${{ steps.c.output }}',
      })
      const outcome = await bench.go(playbook, { 'x.no': no }, { run })
      expect(outcome.output).to.deep.equal({ status: 'skipped', has: false })
      expect(await paths(run.uuid)).to.deep.equal(['a skipped', 'b skipped', 'c completed'])
    })

    it('fails the step if the condition fails: an error never means false', async () => {
      const playbook = makePlaybook({ steps: [{ id: 'a', if: 'alert.missing == 1', uses: 'x.echo' }] })
      const outcome = await bench.go(playbook, { 'x.echo': echo })
      expect(outcome.status).to.equal('failed')
      expect(outcome.error?.details?.['path']).to.equal('a')
      expect(bench.calls).to.deep.equal([])
    })

    it('fails the step if the condition is not a boolean', async () => {
      const outcome = await bench.go(makePlaybook({ steps: [{ if: '"yes"', uses: 'x.echo' }] }), {
        'x.echo': echo,
      })
      expect(outcome.error?.code).to.equal('condition_not_boolean')
    })

    it('shows the steps of a skipped group as skipped', async () => {
      const playbook = makePlaybook({
        steps: [{ id: 'g', if: 'false', steps: [{ id: 'inner', set: 1 }] }],
        outputs: { g: '${{ steps.g.status }}', inner: '${{ steps.inner.status }}' },
      })
      expect((await bench.go(playbook, {})).output).to.deep.equal({ g: 'skipped', inner: 'skipped' })
    })
  })

  describe('on_error', () => {
    it('continues after an ignored failure, with the default as output', async () => {
      const playbook = makePlaybook({
        steps: [
          { id: 'a', uses: 'x.no', onError: 'continue', default: { score: 0, why: '${{ error.code }}' } },
          { id: 'b', set: { a: '${{ steps.a }}' } },
        ],
        outputs: '${{ steps.b.output.a }}',
      })
      const outcome = await bench.go(playbook, { 'x.no': no })
      expect(outcome.status).to.equal('completed')
      expect(outcome.output).to.deep.equal({
        status: 'failed',
        ok: false,
        output: { score: 0, why: 'said_no' },
        error: { code: 'said_no', message: 'no', hint: 'ask somebody else' },
      })
    })

    it('runs the handling steps, which see the error', async () => {
      const run = await bench.startRun()
      const playbook = makePlaybook({
        steps: [
          { id: 'a', uses: 'x.no', onError: [{ id: 'told', set: '${{ error.message + "!" }}' }] },
          { id: 'b', set: '${{ steps.told.output }}' },
        ],
        outputs: '${{ steps.b.output }}',
      })
      expect((await bench.go(playbook, { 'x.no': no }, { run })).output).to.equal('no!')
      expect(await paths(run.uuid)).to.deep.equal(['a failed', 'a/@on_error/told completed', 'b completed'])
    })

    it('fails if a handling step fails', async () => {
      const playbook = makePlaybook({
        steps: [{ id: 'a', uses: 'x.no', onError: [{ id: 'h', uses: 'x.no' }] }],
      })
      const outcome = await bench.go(playbook, { 'x.no': no })
      expect(outcome.error?.details?.['path']).to.equal('a/@on_error/h')
    })

    it('handles the failure of a whole group', async () => {
      const playbook = makePlaybook({
        steps: [
          {
            id: 'g',
            steps: [
              { id: 'a', uses: 'x.no' },
              { id: 'b', set: 1 },
            ],
            onError: 'continue',
          },
          { id: 'c', set: 2 },
        ],
        outputs: {
          g: '${{ steps.g.status }}',
          a: '${{ steps.a.status }}',
          b: '${{ steps.b.status }}',
          c: '${{ steps.c.output }}',
        },
      })
      const outcome = await bench.go(playbook, { 'x.no': no })
      expect(outcome.output).to.deep.equal({ g: 'failed', a: 'failed', b: 'skipped', c: 2 })
    })
  })

  it('reads only recorded times, never the clock', async () => {
    const playbook = makePlaybook({
      steps: [{ id: 'constructor', set: { now: '${{ now }}', started: '${{ run.started_at }}' } }],
      outputs: '${{ steps.constructor.output }}',
    })
    const run = await bench.startRun()
    clock.jump(3_600_000)
    const outcome = await bench.go(playbook, {}, { run })
    const started = new Date(run.startedAt!).toISOString()
    expect(outcome.output).to.deep.equal({ now: started, started })
  })

  it('fails a step whose skill returns a value that JSON cannot represent', async () => {
    const loop: Record<string, unknown> = {}
    loop['self'] = loop
    const outcome = await bench.go(makePlaybook({ steps: [{ uses: 'x.loop' }] }), { 'x.loop': () => loop })
    expect(outcome.error?.code).to.equal('json_invalid')
  })

  it('retries only errors that the skill declares transient', async () => {
    const playbook = makePlaybook({ steps: [{ uses: 'x.busy', retry: { max: 1, backoffMs: 1_000 } }] })
    const busy = (_input: unknown, _attempt: unknown, call: number) => {
      if (call === 1) throw new RetryableError('http_503', 'busy')
      return 'done'
    }
    const going = bench.go(playbook, { 'x.busy': busy })
    await clock.advance(1_500)
    expect((await going).status).to.equal('completed')
    expect(bench.calls.map((call) => call.attempt)).to.deep.equal([1, 2])
  })
})
