import { expect } from 'chai'
import type { Alert } from '../../core/domain/alert.ts'
import type { Run } from '../../core/domain/run.ts'
import { UnavailableError } from '../../core/errors/errors.ts'
import { createInvestigations, type Investigations } from '../../core/investigation/investigations.ts'
import { playbookFilesIn } from '../../server/playbooks-folder/folder-files.ts'
import { openPlaybookLibrary, type PlaybookLibrary } from '../../core/investigation/playbook-library.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Log } from '../../core/ports/log.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { join } from 'node:path'
import type { OpenedStores } from '../contract/fixture.ts'
import { openTemporaryStores } from '../support/stores.ts'
import { somebody } from '../support/somebody.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** Time passes immediately: sleepers of less than a minute wake in the next turn, unless the clock is stopped. */
function quickClock(stands = false): Clock {
  return {
    now: () => 0,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        if (!stands && ms < 60_000) setImmediate(resolve)
      }),
  }
}

describe('investigations', () => {
  let opened: OpenedStores
  let library: PlaybookLibrary
  let runs: Run[]
  let organizationUuid: string

  beforeEach(async () => {
    opened = await openTemporaryStores()
    runs = []
    const { organizations, providers } = opened.stores
    organizationUuid = (await organizations.create({ code: 'acme', name: 'Acme' }, somebody())).uuid
    await providers.create({ code: 'splunk', name: 'Splunk' }, somebody())
  })

  afterEach(() => opened.dispose())

  async function start(stores: Stores = opened.stores, clock = quickClock()): Promise<Investigations> {
    const catalogue = await discoverPlugins({ pluginsDir: join(import.meta.dirname, '../../plugins') })
    library = await openPlaybookLibrary({
      store: stores.playbooks,
      catalogue,
      log: silent,
      files: playbookFilesIn('/nowhere'),
    })
    return createInvestigations({
      stores,
      library,
      catalogue,
      clock,
      log: silent,
      enqueue: (run) => runs.push(run),
      // All have the same content.
      groupWindowMs: 0,
    })
  }

  function post(type: string | null): Promise<Alert> {
    return opened.stores.alerts.create({
      content: '{"src":"198.51.100.23"}',
      provider: 'splunk',
      organizationUuid,
      type,
      createdAtSource: null,
      createdBy: '00000000-0000-4000-8000-000000000000',
    })
  }

  const find = async (alert: Alert) => (await opened.stores.alerts.find('all', alert.uuid))!

  it('queues a run of the playbook for the type, and the alert is Submitted', async () => {
    const investigations = await start()
    await library.keep(
      'apiVersion: tocsin/v1\nname: own\non: { alert: { type: phishing } }\nsteps: [{ return: {} }]',
      { origin: 'file' },
    )
    const alert = await post('phishing')
    investigations.submit(alert)
    await investigations.stop()
    expect(runs).to.have.length(1)
    expect(runs[0]).to.include({ playbookName: 'own', alertId: alert.id, status: 'queued' })
    expect(await find(alert)).to.include({ status: 5, investigator: 'own' })
  })

  it('records the considered playbooks in the timeline of the case', async () => {
    const investigations = await start()
    await library.keep(
      `apiVersion: tocsin/v1\nname: strict\non: { alert: { type: phishing, where: 'alert.data.src == "nobody"' } }\nsteps: [{ return: {} }]`,
      { origin: 'file' },
    )
    investigations.submit(await post('phishing'))
    await investigations.stop()
    const { caseId } = (await opened.stores.runs.start(runs[0]!.uuid, { title: 't' }))!
    const timeline = await opened.stores.cases.timeline('all', caseId!, { limit: 10 })
    expect(timeline.data.map(({ text }) => text)).to.include(
      'No playbook fits this alert. Not chosen: strict (`where` is false for this alert).',
    )
  })

  it('generates a playbook if none matches, and reuses it for the next alert of the type', async () => {
    const investigations = await start()
    const alerts = await Promise.all([post('phishing'), post('phishing')])
    for (const alert of alerts) investigations.submit(alert)
    await investigations.stop()
    expect(new Set(runs.map((run) => run.playbookHash)).size).to.equal(1)
    const stored = await opened.stores.playbooks.find('all', 'investigate-phishing-acme')
    expect(stored).to.include({ origin: 'made', hash: runs[0]?.playbookHash })
    expect(stored?.source).to.include('has no connection that can look up')
  })

  it('regenerates the playbook when a connection was added', async () => {
    const investigations = await start()
    investigations.submit(await post('phishing'))
    await new Promise(setImmediate)
    await opened.stores.connections.create(
      organizationUuid,
      {
        name: 'intel',
        plugin: 'intel_provider',
        settings: {},
        secrets: {},
      },
      somebody(),
    )
    investigations.submit(await post('phishing'))
    await investigations.stop()
    const stored = await opened.stores.playbooks.find('all', 'investigate-phishing-acme')
    expect(stored?.source).to.include('connection: "intel"')
    expect(new Set(runs.map((run) => run.playbookHash)).size).to.equal(2)
  })

  it('ignores an alert without a type', async () => {
    const investigations = await start()
    const alert = await post(null)
    investigations.submit(alert)
    await investigations.recover()
    await investigations.stop()
    expect(runs).to.deep.equal([])
    expect((await find(alert)).status).to.equal(0)
  })

  it('resumes all alerts that an earlier process left at Created', async () => {
    const left = await Promise.all(Array.from({ length: 450 }, () => post('phishing')))
    const investigations = await start()
    await investigations.recover()
    expect(new Set(runs.map((run) => run.alertId)).size).to.equal(left.length)
  })

  it('retries an alert if the store could not queue the run', async () => {
    let refusals = 2
    const { stores } = opened
    const queue: Stores['runs']['queue'] = (run) =>
      refusals-- > 0
        ? Promise.reject(new UnavailableError('store_unavailable', 'the disk is full', { retryAfterMs: 1 }))
        : stores.runs.queue(run)
    const alert = await post('phishing')
    const flaky = { ...stores, runs: Object.assign(Object.create(stores.runs) as Stores['runs'], { queue }) }
    const investigations = await start(flaky)
    investigations.submit(alert)
    const until = Date.now() + 5_000
    while (runs.length === 0 && Date.now() < until) await new Promise(setImmediate)
    expect(runs.map((run) => run.alertId)).to.deep.equal([alert.id])
    await investigations.stop()
  })

  it('retries until the store can be read', async () => {
    const { stores } = opened
    const failing = () => new UnavailableError('store_unavailable', 'the disk fails', { retryAfterMs: 1 })
    let writes = 1
    let reads = 3
    const queue: Stores['runs']['queue'] = (run) =>
      writes-- > 0 ? Promise.reject(failing()) : stores.runs.queue(run)
    const awaitingInvestigation: Stores['alerts']['awaitingInvestigation'] = (limit, after) =>
      reads-- > 0 ? Promise.reject(failing()) : stores.alerts.awaitingInvestigation(limit, after)
    const alert = await post('phishing')
    const investigations = await start({
      ...stores,
      runs: Object.assign(Object.create(stores.runs) as Stores['runs'], { queue }),
      alerts: Object.assign(Object.create(stores.alerts) as Stores['alerts'], { awaitingInvestigation }),
    })
    investigations.submit(alert)
    const until = Date.now() + 5_000
    while (runs.length === 0 && Date.now() < until) await new Promise(setImmediate)
    expect(runs.map((run) => run.alertId)).to.deep.equal([alert.id])
    await investigations.stop()
  })

  it('skips an alert that never succeeds, and continues with the next', async () => {
    const { stores } = opened
    const [poison] = await Promise.all([
      post('poison'),
      ...Array.from({ length: 250 }, () => post('phishing')),
    ])
    const queue: Stores['runs']['queue'] = (run) =>
      run.alertUuid === poison.uuid ? Promise.reject(new Error('a bug')) : stores.runs.queue(run)
    const broken = { ...stores, runs: Object.assign(Object.create(stores.runs) as Stores['runs'], { queue }) }
    const investigations = await start(broken)
    await investigations.recover()
    await investigations.stop()
    expect(runs).to.have.length(250)
    expect((await find(poison)).status).to.equal(0)
  })

  it('fails an alert with the reason for any error except one of the store', async () => {
    const { stores } = opened
    const list = () => Promise.reject(new Error('a bug'))
    const connections = Object.assign(Object.create(stores.connections) as Stores['connections'], { list })
    const investigations = await start({ ...stores, connections })
    const alert = await post('phishing')
    investigations.submit(alert)
    await investigations.stop()
    expect(runs.map(({ playbookName }) => playbookName)).to.deep.equal(['not-investigated'])
    expect((await find(alert)).status).to.equal(5)
  })

  it('gives up an alert that was in progress at three failed starts', async () => {
    const alerts = await Promise.all(Array.from({ length: 3 }, () => post('phishing')))
    const [poison] = alerts
    const uuids = alerts.map(({ uuid }) => uuid)
    await opened.stores.alerts.noteTakeUp(uuids)
    await opened.stores.alerts.noteTakeUp(uuids.slice(0, 2))
    await opened.stores.alerts.noteTakeUp(uuids.slice(0, 1))
    const investigations = await start()
    await investigations.recover()
    await investigations.stop()
    const given = new Map(runs.map((run) => [run.alertId, run.playbookName]))
    expect(given.get(poison!.id)).to.equal('not-investigated')
    for (const { id } of alerts.slice(1)) expect(given.get(id)).to.match(/^investigate-/)
  })

  it('submits an alert once, even if a retry meets its submission', async () => {
    const investigations = await start()
    const alert = await post('phishing')
    investigations.submit(alert)
    await investigations.recover()
    investigations.submit(alert)
    await investigations.stop()
    expect(runs.map((run) => run.alertId)).to.deep.equal([alert.id])
  })

  it('waits for the end of an investigation, at most for the given time', async () => {
    const standing = await start(opened.stores, quickClock(true))
    const alert = await post('phishing')
    let over = false
    const wait = standing.wait(alert.id, 1_000).then(() => (over = true))
    await new Promise(setImmediate)
    expect(over).to.equal(false)
    standing.runEnded({ alertId: alert.id } as Run)
    await wait
    expect(over).to.equal(true)

    const quick = await start()
    await quick.wait(alert.id, 1)
  })

  it('accepts no more alerts while recovery holds much memory, and accepts again afterwards', async () => {
    const { promise: queueing, resolve: goOn } = Promise.withResolvers<void>()
    const { runs: store } = opened.stores
    const slow: Stores = {
      ...opened.stores,
      runs: new Proxy(store, {
        get: (target, name: keyof typeof store) =>
          name === 'queue'
            ? (...given: Parameters<typeof store.queue>) => queueing.then(() => target.queue(...given))
            : target[name].bind(target),
      }),
    }
    const investigations = await start(slow)
    const alert = await post('phishing')
    const content = 'x'.repeat(1_048_576)
    for (let n = 0; n < 64; n++) {
      expect(investigations.accepting(organizationUuid)).to.equal(true)
      investigations.submit({ ...alert, content, uuid: `${alert.uuid}${n}` })
    }
    expect(investigations.accepting(organizationUuid)).to.equal(false)
    goOn()
    while (!investigations.accepting(organizationUuid)) await new Promise(setImmediate)
    await investigations.stop()
  })

  it('recovers nothing after it has stopped', async () => {
    const investigations = await start()
    await investigations.stop()
    investigations.submit(await post('phishing'))
    await new Promise(setImmediate)
    expect(runs).to.deep.equal([])
    expect(investigations.accepting(organizationUuid)).to.equal(false)
  })
})
