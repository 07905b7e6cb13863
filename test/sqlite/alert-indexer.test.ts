import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { Organization } from '../../core/domain/organization.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { expectRejection, newAlert } from '../contract/fixture.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { openStoresIn } from '../support/stores.ts'
import { somebody } from '../support/somebody.ts'

describe('the search index of alerts', () => {
  let folder: TemporaryFolder
  let stores: Stores
  let other: SqliteConnection
  let acme: Organization

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    stores = await openStoresIn(folder.path)
    other = new SqliteConnection(join(folder.path, 'tocsin.db'))
    acme = await stores.organizations.create({ code: 'Acme', name: 'x' }, somebody())
    await stores.providers.create({ code: 'SIEM', name: 'x' }, somebody())
  })
  afterEach(async () => {
    other.close()
    await stores.close()
    await folder.remove()
  })

  const indexed = () =>
    other.one<{ count: number }>('SELECT count(*) AS count FROM alert_search_docsize').count
  const create = (count: number, word: string) =>
    Promise.all(Array.from({ length: count }, () => stores.alerts.create(newAlert(acme, { content: word }))))
  const found = async (words: string) => (await stores.alerts.list('all', { words }, { limit: 1 })).total

  it('is filled after alerts are stored, without a search', async () => {
    await create(120, 'apple')
    expect(indexed()).to.equal(0)
    while (indexed() < 120) await sleep(5)
    expect(await found('apple')).to.equal(120)
  })

  it('is filled by the first search, up to the last alert', async () => {
    await create(120, 'apple')
    expect(await found('apple')).to.equal(120)
    expect(indexed()).to.equal(120)
    await create(1, 'banana')
    expect(await found('banana')).to.equal(1)
    expect(await found('apple')).to.equal(120)
  })

  it('resumes where a killed process stopped', async () => {
    await create(3, 'apple')
    await found('apple')
    await create(3, 'banana')
    // A process that closes its stores stops indexing, like a killed one.
    await stores.close()
    expect(indexed()).to.equal(3)
    stores = await openStoresIn(folder.path)
    while (indexed() < 6) await sleep(5)
    expect([await found('apple'), await found('banana')]).to.deep.equal([3, 3])
  })

  it('is not reported as complete while it cannot be written', async () => {
    await create(1, 'apple')
    other.script('BEGIN IMMEDIATE')
    const patient = await openStoresIn(folder.path, { claim: 'shared', busyTimeoutMs: 1 })
    await expectRejection(
      patient.alerts.list('all', { words: 'apple' }, { limit: 1 }),
      'UnavailableError',
      'store_unavailable',
    )
    expect((await patient.alerts.list('all', {}, { limit: 1 })).total).to.equal(1)
    other.script('ROLLBACK')
    await patient.close()
  })
})
