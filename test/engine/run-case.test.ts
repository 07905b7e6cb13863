import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import { createRunner } from '../../core/engine/turns/runner.ts'
import { UnavailableError } from '../../core/errors/errors.ts'
import type { RunStore } from '../../core/ports/runs/run-store.ts'
import { openBench, type Bench } from './support/bench.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock, settle } from './support/manual-clock.ts'

describe('the case of a run without an alert', () => {
  let bench: Bench
  let clock: ManualClock
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
  })
  afterEach(() => bench.close())

  type Source = Parameters<typeof makePlaybook>[0]

  /** The case of a started run. `x.touch` works on the case, `x.echo` does not. */
  async function run(source: Source, changes: Partial<RunStore> = {}): Promise<Run> {
    const { uuid } = await bench.stores.runs.queue({
      organizationUuid: bench.organizationUuid,
      playbookName: 'tested',
      playbookHash: 'a'.repeat(64),
      alertUuid: null,
    })
    const { runs } = bench.stores
    const get = (target: RunStore, name: string | symbol): unknown =>
      changes[name as keyof RunStore] ?? target[name as keyof RunStore].bind(target)
    const runner = createRunner({
      stores: { ...bench.stores, runs: new Proxy(runs, { get }) },
      clock,
      log: bench.log,
      loadPlaybook: async () => makePlaybook(source),
      skills: {
        interrupted: () => 'repeat',
        call: async ({ skill, input, run }) => (skill === 'x.touch' ? { id: await run.openCase() } : input),
      },
    })
    runner.enqueue((await runs.find('all', uuid))!)
    await settle()
    await clock.advance(120_000)
    return (await runs.find('all', uuid))!
  }
  const cases = async () => (await bench.stores.cases.list('all', {}, { limit: 10 })).data
  const reads = '${{ case.id }}'
  const mention = { id: 'mention', uses: 'x.echo', with: { text: reads } } as const

  it('is not opened if no step uses it', async () => {
    const end = await run({
      steps: [{ uses: 'x.echo' }, { ...mention, if: 'false' }, { fail: 'nothing found' }],
    })
    expect(end).to.include({ status: 'failed', caseId: null })
    expect(await cases()).to.deep.equal([])
  })

  it('is opened by the first skill that uses it, and named after the playbook', async () => {
    const end = await run({
      steps: [{ id: 'a', uses: 'x.touch' }, { uses: 'x.touch' }],
      outputs: { id: '${{ steps.a.output.id }}' },
    })
    expect(end).to.deep.include({ status: 'completed', caseId: 'ACME-1', output: { id: 'ACME-1' } })
    expect((await cases()).map(({ title }) => title)).to.deep.equal(['tested'])
    const timeline = (await bench.stores.cases.timeline('all', 'ACME-1', { limit: 9 })).data
    expect(timeline.map(({ kind }) => kind)).to.deep.equal(['run_ended', 'opened'])
  })

  const readers: Readonly<Record<string, Source>> = {
    'an input': { steps: [mention] },
    'a condition': { steps: [{ id: 'mention', if: 'case.id == "ACME-1"', set: { text: reads } }] },
    'a default': { steps: [{ id: 'mention', if: 'false', set: 1, default: { text: reads } }] },
    items: { steps: [{ id: 'mention', foreach: '${{ [case.id] }}', set: { text: '${{ item }}' } }] },
    'a message': { steps: [{ fail: 'see ${{ case.id }}' }] },
    'a step of finally': { steps: [], finally: [mention] },
    'a branch beside a skill that works on it': { steps: [{ parallel: [{ uses: 'x.touch' }, mention] }] },
    'the outputs': { steps: [], outputs: { text: reads } },
  }
  for (const [name, source] of Object.entries(readers))
    it(`is opened before it is read by ${name}`, async () => {
      const end = await run(source)
      expect(end.caseId).to.equal('ACME-1')
      expect(await cases()).to.have.length(1)
      const entries = await bench.stores.journal.entries(end.uuid)
      const mentions = entries.filter(({ path }) => path.includes('mention'))
      expect(JSON.stringify([mentions, end.output, end.error]), 'what was read').to.include('ACME-1')
    })

  it('waits while the store is unavailable', async () => {
    let tries = 0
    const openCase: RunStore['openCase'] = (uuid, title) => {
      if (++tries < 3) throw new UnavailableError('store_unavailable', 'disk full', { retryAfterMs: 1 })
      return bench.stores.runs.openCase(uuid, title)
    }
    for (const step of [mention, { uses: 'x.touch' }]) {
      tries = 0
      const end = await run({ steps: [step] }, { openCase })
      expect(end).to.include({ status: 'completed' })
      expect([end.caseId, tries]).to.deep.equal([(await cases())[0]?.id, 3])
    }
  })
})
