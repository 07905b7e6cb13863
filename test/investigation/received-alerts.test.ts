import { join } from 'node:path'
import { expect } from 'chai'
import type { Alert } from '../../core/domain/alert.ts'
import type { Run } from '../../core/domain/run.ts'
import { createInvestigations, type Investigations } from '../../core/investigation/investigations.ts'
import { playbookFilesIn } from '../../server/playbooks-folder/folder-files.ts'
import { openPlaybookLibrary, type PlaybookLibrary } from '../../core/investigation/playbook-library.ts'
import type { Log } from '../../core/ports/log.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { systemClock } from '../../server/clock.ts'
import type { OpenedStores } from '../contract/fixture.ts'
import { eventually } from '../support/eventually.ts'
import { somebody } from '../support/somebody.ts'
import { openTemporaryStores } from '../support/stores.ts'

const log: Log = { debug() {}, info() {}, warn() {}, error() {} }

describe('an alert that is received', () => {
  let opened: OpenedStores
  let library: PlaybookLibrary
  let investigations: Investigations
  let organizationUuid: string
  /** Reserved places, by their use. */
  let places: string[]
  let queued: Run[]

  beforeEach(async () => {
    opened = await openTemporaryStores()
    const { stores } = opened
    organizationUuid = (await stores.organizations.create({ code: 'acme', name: 'Acme' }, somebody())).uuid
    await stores.providers.create({ code: 'splunk', name: 'Splunk' }, somebody())
    const catalogue = await discoverPlugins({ pluginsDir: join(import.meta.dirname, '../../plugins') })
    library = await openPlaybookLibrary({
      store: stores.playbooks,
      catalogue,
      log,
      files: playbookFilesIn('/nowhere'),
    })
    places = []
    queued = []
    investigations = createInvestigations({
      stores,
      library,
      catalogue,
      clock: systemClock,
      log,
      enqueue: (run) => queued.push(run),
      reserve: () => ({
        begin: ({ status, alertId }) => places.push(`${alertId} is ${status}`),
        release: () => places.push('released'),
      }),
    })
  })
  afterEach(async () => {
    await investigations.stop()
    await opened.dispose()
  })

  const addPlaybook = (trigger: string) =>
    library.keep(`apiVersion: tocsin/v1\nname: own\non: { alert: ${trigger} }\nsteps: [{ return: {} }]`, {
      origin: 'file',
    })
  const receive = async (content = '{"n":1}', type: string | null = 'phishing'): Promise<Alert> => {
    const given = {
      content,
      provider: 'splunk',
      organizationUuid,
      type,
      createdAtSource: null,
      createdBy: '0',
    }
    return (await investigations.receive(given)).alert
  }
  const statusOf = async ({ uuid }: Alert) => (await opened.stores.alerts.find('all', uuid))?.status

  it('is stored together with its run, which starts in its place', async () => {
    await addPlaybook('{ type: phishing }')
    const alert = await receive()
    expect(await statusOf(alert)).to.equal(10)
    expect(places).to.deep.equal([`${alert.id} is running`])
    expect(queued).to.deep.equal([])
  })

  for (const [what, trigger] of Object.entries({
    'a condition': "{ type: phishing, where: 'alert.data.n == 1' }",
    'the values that repeats share': '{ type: phishing, group: { by: [alert.data.n] } }',
  })) {
    it(`is stored before ${what} is evaluated: that may crash the process`, async () => {
      await addPlaybook(trigger)
      const alert = await receive()
      expect(await statusOf(alert), 'stored, without a run').to.equal(0)
      await investigations.stop()
      expect(places).to.deep.equal([`${alert.id} is running`])
    })
  }

  it('is not investigated by an earlier generated playbook if a condition decides', async () => {
    await receive('{"n":0}')
    await eventually('its run', () => places[0])
    await addPlaybook("{ type: phishing, where: 'alert.data.n == 1' }")
    const alert = await receive()
    await investigations.stop()
    expect((await opened.stores.alerts.find('all', alert.uuid))?.investigator).to.equal('own')
  })

  it('is stored before its playbook is generated; the next one is stored with its run', async () => {
    const first = await receive()
    expect(await statusOf(first)).to.equal(0)
    await eventually('its run', () => places[0])
    const next = await receive('{"n":2}')
    expect(await statusOf(next)).to.equal(10)
    expect(places.at(-1)).to.equal(`${next.id} is running`)
  })

  it('is investigated again by a run that is queued and then started', async () => {
    await addPlaybook('{ type: phishing }')
    const { uuid } = await receive()
    const { stores } = opened
    const [run] = (await stores.runs.list('all', {}, { limit: 1 })).data
    await stores.runs.end(run!.uuid, { status: 'completed', output: null, error: null })
    const again = await investigations.again((await stores.alerts.find('all', uuid))!, somebody('kim'))
    expect(again).to.include({ status: 'queued', caseId: null })
    expect(queued).to.deep.equal([again])
    expect(places.at(-1)).to.equal('released')
  })

  it('has no run if it is a repeat or has no type, and its place is free again', async () => {
    await addPlaybook('{ type: phishing }')
    const first = await receive()
    const repeat = await receive()
    await investigations.stop()
    const { groupedWith } = (await opened.stores.alerts.find('all', repeat.uuid))!
    expect(groupedWith).to.equal(first.id)
    expect(places.slice(1)).to.deep.equal(['released', 'released'])
    const untyped = await receive('{"n":3}', null)
    expect([await statusOf(untyped), places.length]).to.deep.equal([0, 3])
  })
})
