import { expect } from 'chai'
import type { Organization } from '../../core/domain/organization.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import { createShadowWorker, type ShadowWorker } from '../../core/shadow/shadow-worker.ts'
import { newAlert, type OpenedStores } from '../contract/fixture.ts'
import { countCalls } from './support.ts'
import { catalogue } from '../playbook-test/support.ts'
import { eventually } from '../support/eventually.ts'
import { somebody } from '../support/somebody.ts'
import { openTemporaryStores } from '../support/stores.ts'

const playbook = (name: string, head = ''): Playbook =>
  parsePlaybook(
    `apiVersion: tocsin/v1\nname: ${name}\n${head}on: { alert: { type: phishing } }\nsteps: [{ set: { a: 1 } }]\n`,
    { catalogue },
  ).playbook!
const live = playbook('triage')
const beside = playbook('triage-shadow', 'mode: shadow\nbeside: triage\n')

describe('the worker that judges shadows', () => {
  let opened: OpenedStores
  let organization: Organization
  let shadows: readonly Playbook[]
  let mayWork: boolean
  let workers: ShadowWorker[]

  beforeEach(async () => {
    opened = await openTemporaryStores()
    const { organizations, providers } = opened.stores
    organization = await organizations.create({ code: 'acme', name: 'Acme' }, somebody())
    await providers.create({ code: 'SIEM', name: 'SIEM' }, somebody())
    shadows = [beside]
    mayWork = true
    workers = []
  })
  afterEach(async () => {
    for (const worker of workers) await worker.stop()
    await opened.dispose()
  })

  function start(stores = opened.stores): ShadowWorker {
    const worker = createShadowWorker({
      stores,
      catalogue,
      library: {
        shadows: () => shadows,
        newest: () => undefined,
        byHash: async (hash) => (hash === live.hash ? live : Promise.reject(new Error('no such version'))),
      },
      callerOfSkills: () => countCalls(catalogue).call,
      mayWork: () => mayWork,
      runUrl: (uuid) => `http://tocsin/runs/${uuid}`,
      sharePercent: 10,
      clock: {
        now: Date.now,
        sleep: (_ms, signal) => (signal.aborted ? Promise.reject(signal.reason as Error) : pause()),
      },
      log: { debug() {}, info() {}, warn() {}, error() {} },
    })
    workers.push(worker)
    worker.start()
    return worker
  }
  const pause = () => new Promise<void>((resolve) => void setTimeout(resolve, 5))

  async function investigated(playbookHash = live.hash): Promise<void> {
    const { alerts, runs, journal } = opened.stores
    const alert = await alerts.create(newAlert(organization))
    const { uuid } = await runs.queue({
      organizationUuid: organization.uuid,
      playbookName: live.name,
      playbookHash,
      alertUuid: alert.uuid,
    })
    await runs.start(uuid, { title: 'Phishing' })
    const entry = { path: '0', stepId: null, kind: 'set', input: null, startedAt: 1, attempt: 1 }
    await journal.record(uuid, entry, {
      state: 'completed',
      output: { a: 1 },
      error: null,
      attempt: 1,
      endedAt: 2,
    })
    await runs.end(uuid, { status: 'completed', output: null, error: null })
  }
  const results = async () => await opened.stores.shadows.newest('all', { playbookName: beside.name }, 50)
  const outcomes = async (count: number) =>
    await eventually('the results', async () => {
      const all = await results()
      return all.length === count && all.every(({ judgedAt }) => judgedAt !== null)
        ? all.map(({ outcome, summary }) => summary?.reason?.code ?? outcome)
        : undefined
    })

  it('judges alerts as their runs end, and what an earlier process left', async () => {
    start()
    await investigated()
    await investigated()
    expect(await outcomes(2)).to.deep.equal(['agrees', 'agrees'])
    await workers[0]!.stop()
    await investigated()
    start()
    expect(await outcomes(3)).to.deep.equal(['agrees', 'agrees', 'agrees'])
  })

  it('judges the others if the version of one run is no longer valid', async () => {
    start()
    await investigated('f'.repeat(64))
    await investigated()
    expect(await outcomes(2)).to.have.members(['version_invalid', 'agrees'])
  })

  it('waits while runs need the server', async () => {
    mayWork = false
    start()
    await investigated()
    await pause()
    expect((await results())[0]?.outcome).to.equal(null)
    mayWork = true
    expect(await outcomes(1)).to.deep.equal(['agrees'])
  })

  it('forgets alerts of a shadow that is gone', async () => {
    const first = start()
    await first.stop()
    await investigated()
    shadows = []
    start()
    await eventually('no result', async () => ((await results()).length === 0 ? true : undefined))
  })

  it('gives an alert up that stops the process, or fails, each time', async () => {
    await start().stop()
    await investigated()
    const [queued] = await opened.stores.shadows.waiting(1)
    for (let attempt = 0; attempt < 10; attempt++) await opened.stores.shadows.begin(queued!)
    start()
    expect(await outcomes(1)).to.deep.equal(['judging_stopped'])
  })

  it('goes on after an error of the store', async () => {
    const { shadows: store } = opened.stores
    let failures = 3
    const waiting: typeof store.waiting = async (limit) => {
      if (failures-- > 0) throw new Error('the disk is full')
      return await store.waiting(limit)
    }
    const broken = new Proxy(store, {
      get(of, name) {
        const value: unknown = name === 'waiting' ? waiting : Reflect.get(of, name)
        return typeof value === 'function' ? value.bind(of) : value
      },
    })
    start({ ...opened.stores, shadows: broken })
    await investigated()
    expect(await outcomes(1)).to.deep.equal(['agrees'])
    expect(failures).to.be.below(0)
  })
})
