import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { personOf } from '../../core/domain/audit.ts'
import type { Organization } from '../../core/domain/organization.ts'
import { createObservableIndexer } from '../../core/observable/observable-indexer.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { newAlert } from '../contract/fixture.ts'
import { inPieces, ruleBy } from '../contract/retention-store.ts'
import { extracting } from '../observable/extracting-catalogue.ts'
import { makeRandom, seed, times } from '../support/random.ts'
import { somebody } from '../support/somebody.ts'
import { openStoresIn } from '../support/stores.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { everyAlert } from './every-alert.ts'
import { killChildren, startChild } from './child-process.ts'

const day = 86_400_000
const clock = { now: () => Date.now() + 2 * day, sleep: async () => {} }
const log = { debug() {}, info() {}, warn() {}, error() {} }
const completed = { status: 'completed', output: null, error: null } as const

describe(`index of observables (seed ${seed})`, function () {
  this.timeout(times(120_000))
  const random = makeRandom(seed)
  const upTo = (n: number): number => Math.floor(random() * n)
  let folder: TemporaryFolder

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
  })
  afterEach(async () => {
    killChildren()
    await folder.remove()
  })

  async function withStores<T>(use: (stores: Stores) => Promise<T>): Promise<T> {
    const stores = await openStoresIn(folder.path, { clock })
    try {
      return await use(stores)
    } finally {
      await stores.close()
    }
  }

  /** Alerts with up to three of ten addresses each; most of them have a case. */
  async function addAlerts(stores: Stores, acme: Organization, count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const ips = Array.from({ length: upTo(4) }, () => `203.0.113.${upTo(10)}`)
      const content = JSON.stringify({ note: `alert ${n}`, ips })
      const { uuid } = await stores.alerts.create(newAlert(acme, { content }))
      if (upTo(4) === 0) continue
      const run = {
        organizationUuid: acme.uuid,
        playbookName: 'x',
        playbookHash: 'a'.repeat(64),
        alertUuid: uuid,
      }
      const { uuid: runUuid } = await stores.runs.queue(run)
      await stores.runs.start(runUuid, { title: 'x' })
      if (upTo(3) > 0) await stores.runs.end(runUuid, completed)
    }
  }

  async function mergeSome(stores: Stores, acme: Organization): Promise<void> {
    const { data } = await stores.cases.list('all', { status: 'open' }, { limit: 200 })
    for (let n = 0; n + 1 < data.length; n += 2 + upTo(5)) {
      const [target, source] = [data[n]!, data[n + 1]!].map(({ id }) => ({ id, revision: undefined }))
      await stores.caseMoves.merge(acme.uuid, target!, [source!], personOf('anna'))
    }
  }

  /** What the index has to say, counted from the contents. */
  async function recount(stores: Stores): Promise<Readonly<Record<string, readonly number[]>>> {
    const alerts = await everyAlert(stores)
    const counts: Record<string, readonly number[]> = {}
    for (let n = 0; n < 10; n++) {
      const value = `203.0.113.${n}`
      const having = alerts.filter(({ content }) => content?.includes(`"${value}"`))
      const cases = new Set(having.flatMap(({ caseId }) => caseId ?? []))
      if (having.length > 0) counts[value] = [having.length, cases.size]
    }
    return counts
  }

  async function indexed(stores: Stores): Promise<Readonly<Record<string, readonly number[]>>> {
    await stores.alerts.list('all', { type: 'phishing' }, { limit: 1 })
    await createObservableIndexer({ stores, catalogue: extracting, clock, log }).catchUp()
    const { data } = await stores.observables.list('all', { kind: 'ip' }, { limit: 200 })
    const counts: Record<string, readonly number[]> = {}
    for (const { value, alerts, cases } of data) counts[value] = [alerts, cases]
    return counts
  }

  it('says the same as a recount after kill -9 at any moment, merged cases and retention', async () => {
    const acme = await withStores(async (stores) => {
      const organization = await stores.organizations.create({ code: 'Acme', name: 'x' }, somebody())
      await stores.providers.create({ code: 'SIEM', name: 'x' }, somebody())
      return organization
    })
    for (let round = 0; round < times(3); round++) {
      await withStores(async (stores) => {
        await addAlerts(stores, acme, 60)
        await mergeSome(stores, acme)
      })
      const child = startChild('index-observables', [folder.path])
      await child.hasPrinted(1 + upTo(3)).catch(() => undefined)
      await sleep(upTo(20))
      child.process.kill('SIGKILL')
      await child.ended
    }
    await withStores(async (stores) => {
      expect(await indexed(stores)).to.deep.equal(await recount(stores))
      await mergeSome(stores, acme)
      expect(await indexed(stores)).to.deep.equal(await recount(stores))
      const { data } = await stores.cases.list('all', { status: 'open' }, { limit: 200 })
      for (const { id } of data.filter(() => upTo(2) === 0))
        await stores.cases.edit(acme.uuid, id, { status: 'closed' }, personOf('anna'), undefined)
      await stores.alerts.list('all', { words: 'alert' }, { limit: 1 })
      const before = (await everyAlert(stores)).length
      await inPieces((from) => stores.retention.pruneAlerts(ruleBy(clock.now() + day), from))
      expect((await everyAlert(stores)).length).to.be.lessThan(before)
      expect(await indexed(stores)).to.deep.equal(await recount(stores))
    })
  })
})
