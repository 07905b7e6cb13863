import { expect } from 'chai'
import { openBench, type Bench } from './support/bench.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock } from './support/manual-clock.ts'
import { echo, no } from './support/skills.ts'

describe('interpreter: ends and time', () => {
  let bench: Bench
  let clock: ManualClock
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
  })
  afterEach(() => bench.close())

  const paths = async (uuid: string) =>
    (await bench.stores.journal.entries(uuid)).map(({ path, state }) => `${path} ${state}`).toSorted()

  describe('return, fail and finally', () => {
    it('ends the run as completed with the output of return, from anywhere', async () => {
      const playbook = makePlaybook({
        steps: [
          { steps: [{ if: 'true', steps: [{ return: { verdict: 'benign' } }] }], onError: 'continue' },
          { id: 'after', uses: 'x.no' },
        ],
        outputs: 'not used',
      })
      const outcome = await bench.go(playbook, { 'x.no': no })
      expect(outcome).to.deep.equal({ status: 'completed', output: { verdict: 'benign' }, error: null })
    })

    it('ends the run as failed with the message of fail, in any enclosing step', async () => {
      const playbook = makePlaybook({
        steps: [
          { steps: [{ fail: 'no such user ${{ alert.user }}' }], onError: 'continue' },
          { uses: 'x.echo' },
        ],
      })
      const outcome = await bench.go(playbook, { 'x.echo': echo }, { names: { alert: { user: 'eve' } } })
      expect(outcome.status).to.equal('failed')
      expect(outcome.error).to.deep.include({ code: 'playbook_failed', message: 'no such user eve' })
      expect(bench.calls).to.deep.equal([])
    })

    for (const [title, step, status] of [
      ['completed', { set: 1 }, 'completed'],
      ['failed', { uses: 'x.no' }, 'failed'],
      ['returned', { return: 1 }, 'completed'],
    ] as const) {
      it(`runs finally after a run that ${title}, which sees its status`, async () => {
        const run = await bench.startRun()
        const playbook = makePlaybook({
          steps: [step],
          finally: [{ id: 'tell', uses: 'x.echo', with: { status: '${{ run.status }}' } }],
        })
        const outcome = await bench.go(playbook, { 'x.no': no, 'x.echo': echo }, { run })
        expect(outcome.status).to.equal(status)
        expect(bench.calls.at(-1)?.input).to.deep.equal({ status })
        expect(await paths(run.uuid)).to.include('@finally/tell completed')
      })
    }

    it('fails a completed run when finally fails, and keeps the first error otherwise', async () => {
      const playbook = makePlaybook({ steps: [{ set: 1 }], finally: [{ id: 'f', uses: 'x.no' }] })
      expect((await bench.go(playbook, { 'x.no': no })).error?.details?.['path']).to.equal('@finally/f')
      const failing = makePlaybook({
        steps: [{ id: 'a', uses: 'x.no' }],
        finally: [{ id: 'f', uses: 'x.no' }],
      })
      expect((await bench.go(failing, { 'x.no': no })).error?.details?.['path']).to.equal('a')
    })
  })

  describe('timeouts', () => {
    it('waits for a duration and until a time', async () => {
      const until = new Date(clock.now() + 90_000).toISOString()
      const playbook = makePlaybook({
        steps: [
          { id: 'a', wait: '1m' },
          { id: 'b', until },
          { id: 'c', set: '${{ now }}' },
        ],
        outputs: '${{ steps.c.output }}',
      })
      let ended = false
      const going = bench.go(playbook, {}).finally(() => (ended = true))
      await clock.advance(89_999)
      expect(ended).to.equal(false)
      await clock.advance(1)
      expect((await going).output).to.equal(until)
    })

    it('ends a group and its running steps at the timeout, and continues as on_error says', async () => {
      const run = await bench.startRun()
      const playbook = makePlaybook({
        steps: [
          {
            id: 'g',
            timeoutMs: 5_000,
            onError: 'continue',
            steps: [
              { id: 'a', wait: 3_000 },
              { id: 'b', uses: 'x.hang', onError: 'continue' },
              { id: 'c', set: 1 },
            ],
          },
          { id: 'd', set: '${{ steps.g.error.code }}' },
        ],
        outputs: '${{ steps.d.output }}',
      })
      const going = bench.go(playbook, { 'x.hang': () => new Promise(() => {}) }, { run })
      await clock.advance(5_000)
      expect((await going).output).to.equal('step_timeout')
      expect(await paths(run.uuid)).to.deep.equal(['d completed', 'g failed', 'g/a completed', 'g/b failed'])
    })

    it('ends a run at its timeout and still runs finally', async () => {
      const playbook = makePlaybook({
        timeoutMs: 10_000,
        steps: [
          { id: 'a', wait: '1h' },
          { id: 'b', uses: 'x.echo' },
        ],
        finally: [{ uses: 'x.echo', with: { status: '${{ run.status }}' } }],
      })
      const going = bench.go(playbook, { 'x.echo': echo })
      await clock.advance(10_000)
      const outcome = await going
      expect(outcome.error?.code).to.equal('run_timeout')
      expect(bench.calls.map((call) => call.input)).to.deep.equal([{ status: 'failed' }])
    })

    it('is cancelled at once, ends running steps and runs finally', async () => {
      const cancel = new AbortController()
      const playbook = makePlaybook({
        steps: [
          { id: 'a', uses: 'x.hang', onError: 'continue' },
          { id: 'b', uses: 'x.echo' },
        ],
        finally: [{ uses: 'x.echo', with: { status: '${{ run.status }}' } }],
      })
      const going = bench.go(
        playbook,
        { 'x.hang': () => new Promise(() => {}), 'x.echo': echo },
        { cancel: cancel.signal },
      )
      await clock.advance(1)
      cancel.abort()
      expect((await going).status).to.equal('cancelled')
      expect(bench.calls.map((call) => call.input)).to.deep.equal([{}, { status: 'cancelled' }])
    })
  })
})
