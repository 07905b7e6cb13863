import { expect } from 'chai'
import { SkillError } from '../../core/plugin/index.ts'
import { openBench, type Bench } from './support/bench.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock } from './support/manual-clock.ts'
import { echo, no } from './support/skills.ts'

describe('interpreter: groups', () => {
  let bench: Bench
  let clock: ManualClock
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
  })
  afterEach(() => bench.close())

  const paths = async (uuid: string) =>
    (await bench.stores.journal.entries(uuid)).map(({ path, state }) => `${path} ${state}`).toSorted()

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

    it('respects the concurrency limit', async () => {
      let now = 0
      let most = 0
      const full = Promise.withResolvers<void>()
      const busy = async () => {
        most = Math.max(most, ++now)
        if (now === 3) full.resolve()
        await full.promise
        // Allows time for a fourth concurrent item, which would be a mistake.
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
      it(`takes the first matching case: ${path}`, async () => {
        const run = await bench.startRun()
        const outcome = await bench.go(playbook, {}, { run, names: { alert: { n } } })
        expect(outcome.output).to.deep.equal(statuses)
        expect(await paths(run.uuid)).to.deep.equal(['outcome completed', `${path} completed`])
      })
    }

    it('fails if a condition fails', async () => {
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

    it('returns the outputs in the order of the items', async () => {
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

    it('stops at the first failing item', async () => {
      const run = await bench.startRun()
      const playbook = makePlaybook({
        steps: [{ id: 'each', foreach: [1, -2, 3], uses: 'x.twice', with: { n: '${{ item }}' } }],
      })
      const outcome = await bench.go(playbook, { 'x.twice': twice }, { run })
      expect(outcome.error).to.deep.include({ code: 'negative', details: { path: 'each[1]' } })
      expect(await paths(run.uuid)).to.deep.equal(['each failed', 'each[0] completed', 'each[1] failed'])
    })

    it('skips failed items if configured, and reports them', async () => {
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

    it('refuses too many items and values that are not a list', async () => {
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
})
