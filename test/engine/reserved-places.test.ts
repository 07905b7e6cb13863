import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import type { Runner } from '../../core/engine/turns/runner-types.ts'
import { createRunner } from '../../core/engine/turns/runner.ts'
import { openBench, testSkills, type Bench } from './support/bench.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock, settle } from './support/manual-clock.ts'
import { somebody } from '../support/somebody.ts'

describe('places that the runner keeps for new runs', () => {
  let bench: Bench
  let runner: Runner
  let finish: (() => void)[]
  beforeEach(async () => {
    const clock = new ManualClock()
    bench = await openBench(clock)
    await bench.stores.providers.create({ code: 'siem', name: 'SIEM' }, somebody())
    finish = []
    const { call, interrupted } = testSkills(
      { 'x.wait': () => new Promise((resolve) => finish.push(() => resolve({}))) },
      bench.calls,
    )
    runner = createRunner({
      stores: bench.stores,
      clock,
      log: bench.log,
      loadPlaybook: async () => makePlaybook({ steps: [{ id: 'a', uses: 'x.wait' }] }),
      skills: { call, interrupted },
      maxRuns: 2,
    })
  })
  afterEach(() => bench.close())

  async function newRun(mayBegin: boolean): Promise<Run> {
    const { organizationUuid } = bench
    const given = { provider: 'siem', organizationUuid, type: 't', createdAtSource: null, createdBy: '0' }
    const { uuid } = await bench.stores.alerts.create({ ...given, content: '{}' })
    const run = { organizationUuid, playbookName: 'tested', playbookHash: 'a'.repeat(64), alertUuid: uuid }
    return await bench.stores.runs.queue(run, mayBegin ? { title: 't' } : undefined)
  }
  const statusOf = async ({ uuid }: Run) => (await bench.stores.runs.find('all', uuid))?.status

  it('give a run that was started its first turn', async () => {
    const place = runner.reserve(bench.organizationUuid)
    const run = await newRun(true)
    place?.begin(run)
    await settle()
    expect(finish).to.have.length(1)
    expect(runner.queuedOf(bench.organizationUuid)).to.equal(0)
    finish[0]?.()
    await settle()
    expect(await statusOf(run)).to.equal('completed')
  })

  it('count as active runs until they are released, and let no run overtake the queue', async () => {
    const { organizationUuid } = bench
    const places = [runner.reserve(organizationUuid), runner.reserve(organizationUuid)]
    expect(places).to.not.include(undefined)
    expect(runner.reserve(organizationUuid), 'a third').to.equal(undefined)
    const run = await newRun(false)
    runner.enqueue(run)
    await settle()
    expect(await statusOf(run), 'no place').to.equal('queued')
    places[0]?.release()
    await settle()
    expect(await statusOf(run)).to.equal('running')
    runner.enqueue(await newRun(false))
    places[1]?.release()
    runner.enqueue(await newRun(false))
    expect(runner.reserve(organizationUuid), 'others wait').to.equal(undefined)
  })

  it('are not given while runs are paused; a run that was started before waits until they resume', async () => {
    const place = runner.reserve(bench.organizationUuid)
    runner.pause()
    expect(runner.reserve(bench.organizationUuid)).to.equal(undefined)
    const run = await newRun(true)
    place?.begin(run)
    await settle()
    expect(finish).to.deep.equal([])
    runner.resume()
    await settle()
    expect(finish).to.have.length(1)
  })
})
