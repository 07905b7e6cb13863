import { expect } from 'chai'
import { SkillError } from '../../core/plugin/index.ts'
import { journalOf, openBench, type Bench } from './support/bench.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock } from './support/manual-clock.ts'

describe('interpreter', () => {
  let bench: Bench
  let clock: ManualClock
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
  })
  afterEach(() => bench.close())

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
            { id: 'sub', call: 'called', with: {} },
            { id: 'again', call: 'called', with: {} },
            {
              id: 'poll',
              uses: 'x.work',
              with: { n: 5 },
              repeat: { until: 'output.n == 5', everyMs: 1, max: 2 },
            },
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

    const called = makePlaybook({
      name: 'called',
      steps: [{ id: 'inner', uses: 'x.work', with: { n: 6 } }],
      finally: [{ uses: 'x.work', with: { n: 7 } }],
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
        { run, playbooks: { newest: () => 'hash', load: async () => called } },
      )
      return { outcome, journal: await journalOf(bench.stores, run.uuid) }
    }

    it('writes the same journal regardless of the order in which steps end', async () => {
      const reference = await withDelays(() => 0)
      expect(reference.outcome.output).to.deep.equal({ each: 'failed', code: 'bad' })
      expect(reference.journal).to.have.length(5 + 1 + 5 * 3 + 2 + 5 + 1 + 1 + (1 + 2 * 3) + 2)
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
})
