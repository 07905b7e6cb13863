import { expect } from 'chai'
import { RetryableError, SkillError } from '../../core/plugin/index.ts'
import { journalOf, openBench, type Bench } from './support/bench.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock } from './support/manual-clock.ts'

const echo = (input: unknown) => input
const no = () => {
  throw new SkillError('said_no', 'no', { hint: 'ask somebody else' })
}

describe('interpreter', () => {
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
    it('hands the output of one step to the next and gives the outputs of the run', async () => {
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

    it('stops at the first step that fails and says where', async () => {
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

    it('keeps a bug of a skill out of the store and puts it into the log', async () => {
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
    it('skips a step whose condition is false, records it, and gives its default', async () => {
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

    it('fails the step when the condition fails: an error never means false', async () => {
      const playbook = makePlaybook({ steps: [{ id: 'a', if: 'alert.missing == 1', uses: 'x.echo' }] })
      const outcome = await bench.go(playbook, { 'x.echo': echo })
      expect(outcome.status).to.equal('failed')
      expect(outcome.error?.details?.['path']).to.equal('a')
      expect(bench.calls).to.deep.equal([])
    })

    it('fails the step when the condition is no boolean', async () => {
      const outcome = await bench.go(makePlaybook({ steps: [{ if: '"yes"', uses: 'x.echo' }] }), {
        'x.echo': echo,
      })
      expect(outcome.error?.code).to.equal('condition_not_boolean')
    })

    it('shows the steps of a group that was skipped as skipped', async () => {
      const playbook = makePlaybook({
        steps: [{ id: 'g', if: 'false', steps: [{ id: 'inner', set: 1 }] }],
        outputs: { g: '${{ steps.g.status }}', inner: '${{ steps.inner.status }}' },
      })
      expect((await bench.go(playbook, {})).output).to.deep.equal({ g: 'skipped', inner: 'skipped' })
    })
  })

  describe('on_error', () => {
    it('goes on after a failure that is to be ignored, with the default as output', async () => {
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

    it('runs the steps that handle it, which see the error', async () => {
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

    it('fails when a handling step fails', async () => {
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

  describe('parallel', () => {
    it('waits for all branches, then fails if any failed', async () => {
      const run = await bench.startRun()
      const slow = async () => {
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
        return 'late'
      }
      const playbook = makePlaybook({
        steps: [
          {
            id: 'p',
            parallel: [
              { id: 'a', uses: 'x.no' },
              { id: 'b', uses: 'x.slow' },
            ],
          },
          { id: 'c', set: 1 },
        ],
      })
      const outcome = await bench.go(playbook, { 'x.no': no, 'x.slow': slow }, { run })
      expect(outcome.error?.details?.['path']).to.equal('p/a')
      expect(await paths(run.uuid)).to.deep.equal(['p failed', 'p/a failed', 'p/b completed'])
    })

    it('hides branches from each other and shows them afterwards', async () => {
      const playbook = makePlaybook({
        steps: [
          {
            parallel: [
              { id: 'a', set: 1 },
              { id: 'b', set: '${{ has(steps.a.output) }}' },
            ],
            concurrency: 1,
          },
          { id: 'c', set: ['${{ steps.a.output }}', '${{ steps.b.output }}'] },
        ],
        outputs: '${{ steps.c.output }}',
      })
      expect((await bench.go(playbook, {})).output).to.deep.equal([1, false])
    })

    it('runs no more at once than it may', async () => {
      let now = 0
      let most = 0
      const busy = async () => {
        most = Math.max(most, ++now)
        await new Promise((resolve) => setTimeout(resolve, 3))
        now--
      }
      const parallel = Array.from({ length: 7 }, (_, at) => ({ id: `s${at}`, uses: 'x.busy' }))
      await bench.go(makePlaybook({ steps: [{ parallel, concurrency: 3 }] }), { 'x.busy': busy })
      expect(most).to.equal(3)
    })
  })

  describe('switch', () => {
    const playbook = makePlaybook({
      steps: [
        {
          id: 'outcome',
          switch: [
            { when: 'alert.n > 10', steps: [{ id: 'big', set: 'big' }] },
            { when: 'alert.n > 5', steps: [{ id: 'mid', set: 'mid' }] },
          ],
          else: [{ id: 'small', set: 'small' }],
        },
      ],
      outputs: ['${{ steps.big.status }}', '${{ steps.mid.status }}', '${{ steps.small.status }}'],
    })
    for (const [n, statuses, path] of [
      [11, ['completed', 'skipped', 'skipped'], 'outcome/0/big'],
      [6, ['skipped', 'completed', 'skipped'], 'outcome/1/mid'],
      [1, ['skipped', 'skipped', 'completed'], 'outcome/else/small'],
    ] as const) {
      it(`takes the first case that holds: ${path}`, async () => {
        const run = await bench.startRun()
        const outcome = await bench.go(playbook, {}, { run, names: { alert: { n } } })
        expect(outcome.output).to.deep.equal(statuses)
        expect(await paths(run.uuid)).to.deep.equal(['outcome completed', `${path} completed`])
      })
    }

    it('fails when a condition fails', async () => {
      const outcome = await bench.go(playbook, {}, { names: { alert: {} } })
      expect(outcome.status).to.equal('failed')
      expect(outcome.error?.details?.['path']).to.equal('outcome')
    })
  })

  describe('foreach', () => {
    const twice = (input: unknown) => {
      const { n } = input as { n: number }
      if (n < 0) throw new SkillError('negative', `${n} is negative`)
      return n * 2
    }

    it('gives the outputs in the order of the items', async () => {
      const run = await bench.startRun()
      const playbook = makePlaybook({
        steps: [
          {
            id: 'each',
            foreach: '${{ alert.ns }}',
            as: 'host',
            uses: 'x.twice',
            with: { n: '${{ host + index }}' },
            concurrency: 3,
          },
        ],
        outputs: '${{ steps.each.output }}',
      })
      const outcome = await bench.go(
        playbook,
        { 'x.twice': twice },
        { run, names: { alert: { ns: [5, 6, 7] } } },
      )
      expect(outcome.output).to.deep.equal([10, 14, 18])
      expect(await paths(run.uuid)).to.deep.equal([
        'each completed',
        'each[0] completed',
        'each[1] completed',
        'each[2] completed',
      ])
    })

    it('stops at the first item that fails', async () => {
      const run = await bench.startRun()
      const playbook = makePlaybook({
        steps: [{ id: 'each', foreach: [1, -2, 3], uses: 'x.twice', with: { n: '${{ item }}' } }],
      })
      const outcome = await bench.go(playbook, { 'x.twice': twice }, { run })
      expect(outcome.error).to.deep.include({ code: 'negative', details: { path: 'each[1]' } })
      expect(await paths(run.uuid)).to.deep.equal(['each failed', 'each[0] completed', 'each[1] failed'])
    })

    it('goes on past items that fail when told to, and says which did', async () => {
      const playbook = makePlaybook({
        steps: [
          {
            id: 'each',
            foreach: [1, -2, 3],
            uses: 'x.twice',
            with: { n: '${{ item }}' },
            onItemError: 'continue',
          },
          {
            id: 'seen',
            set: { out: '${{ steps.each.output }}', items: '${{ steps.each.items.map(i, i.status) }}' },
          },
        ],
        outputs: '${{ steps.seen.output }}',
      })
      const outcome = await bench.go(playbook, { 'x.twice': twice })
      expect(outcome.output).to.deep.equal({ out: [2, 6], items: ['completed', 'failed', 'completed'] })
    })

    it('refuses more items than allowed, and what is no list', async () => {
      for (const [items, code] of [
        [[1, 2, 3], 'foreach_too_many'],
        ['${{ alert.n }}', 'foreach_not_a_list'],
      ] as const) {
        const playbook = makePlaybook({ steps: [{ id: 'each', foreach: items, maxItems: 2, set: 1 }] })
        const outcome = await bench.go(playbook, {}, { names: { alert: { n: 4 } } })
        expect(outcome.error?.code).to.equal(code)
      }
    })

    it('runs a group for each item, whose steps see only their own item', async () => {
      const run = await bench.startRun()
      const playbook = makePlaybook({
        steps: [
          {
            id: 'each',
            foreach: [1, 2],
            steps: [
              { id: 'a', if: 'item == 1', set: '${{ item }}' },
              { id: 'b', uses: 'x.echo', with: { a: '${{ steps.a.status }}' } },
            ],
          },
        ],
        outputs: '${{ steps.a.status }}',
      })
      const outcome = await bench.go(playbook, { 'x.echo': echo }, { run })
      expect(bench.calls.map((call) => call.input)).to.deep.equal([{ a: 'completed' }, { a: 'skipped' }])
      expect(outcome.output).to.equal('skipped')
      expect(await paths(run.uuid)).to.include.members([
        'each[0]/a completed',
        'each[1]/a skipped',
        'each[1] completed',
      ])
    })
  })

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

    it('ends the run as failed with the message of fail, whatever stands around it', async () => {
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

  describe('time', () => {
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

    it('ends a group at its timeout, and what is under way in it, and goes on as on_error says', async () => {
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

    it('is cancelled at once, ends what is under way and runs finally', async () => {
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

  describe('determinism', () => {
    const playbook = makePlaybook({
      steps: [
        {
          id: 'p',
          parallel: [
            { id: 'a', uses: 'x.work', with: { n: 1 } },
            {
              id: 'g',
              steps: [
                { id: 'b', uses: 'x.work', with: { n: 2 } },
                { id: 'c', uses: 'x.work', with: { n: 3 } },
              ],
            },
            { id: 'bad', uses: 'x.bad', with: { n: 4 }, onError: 'continue', default: 'd' },
          ],
        },
        {
          id: 'each',
          foreach: [10, 11, 12, 13, 14],
          concurrency: 3,
          onError: 'continue',
          steps: [
            { id: 'one', uses: 'x.work', with: { n: '${{ item }}', before: '${{ steps.c.output }}' } },
            { id: 'two', if: 'item != 12', uses: 'x.work', with: { n: '${{ steps.one.output.n + 100 }}' } },
            { id: 'three', if: 'item == 13', uses: 'x.bad' },
          ],
        },
        { id: 'last', set: { each: '${{ steps.each.status }}', code: '${{ steps.each.error.code }}' } },
      ],
      outputs: '${{ steps.last.output }}',
    })

    async function withDelays(delayOf: (n: number) => number) {
      const wait = async (n: number) => {
        for (let turn = 0; turn < delayOf(n); turn++) await new Promise((resolve) => setImmediate(resolve))
      }
      const run = await bench.startRun()
      const outcome = await bench.go(
        playbook,
        {
          'x.work': async (input) => {
            await wait((input as { n: number }).n)
            return input
          },
          'x.bad': async () => {
            await wait(0)
            throw new SkillError('bad', 'bad')
          },
        },
        { run },
      )
      return { outcome, journal: await journalOf(bench.stores, run.uuid) }
    }

    it('comes to the same journal whatever the order in which work ends', async () => {
      const reference = await withDelays(() => 0)
      expect(reference.outcome.output).to.deep.equal({ each: 'failed', code: 'bad' })
      expect(reference.journal).to.have.length(5 + 1 + 5 * 3 + 5 + 1 + 1)
      for (const delayOf of [
        (n: number) => 20 - (n % 17),
        (n: number) => n % 17,
        (n: number) => (n * 7919) % 23,
        (n: number) => ((n * 31) % 5) * 6,
      ]) {
        expect(await withDelays(delayOf)).to.deep.equal(reference)
      }
    })
  })

  it('sees recorded time only, whatever the clock says', async () => {
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

  it('fails a step whose skill gives what JSON cannot say', async () => {
    const loop: Record<string, unknown> = {}
    loop['self'] = loop
    const outcome = await bench.go(makePlaybook({ steps: [{ uses: 'x.loop' }] }), { 'x.loop': () => loop })
    expect(outcome.error?.code).to.equal('json_invalid')
  })

  it('retries only what the skill calls passing', async () => {
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
