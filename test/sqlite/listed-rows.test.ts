import { join } from 'node:path'
import { expect } from 'chai'
import type { Organization } from '../../core/domain/organization.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { ListedRows } from '../../server/sql/context/listed-rows.ts'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { done, SqliteDatabase } from '../../server/sqlite/database/sqlite-database.ts'
import { GroupCommit } from '../../server/sqlite/database/group-commit.ts'
import { newAlert } from '../contract/fixture.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { openStoresIn } from '../support/stores.ts'
import { somebody } from '../support/somebody.ts'

describe('indexes of lists', () => {
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

  const indexed = (index: 'alerts_of_status' | 'cases_of_status') =>
    other.one<{ count: number }>(`SELECT ifnull(sum(ncell), 0) AS count FROM dbstat WHERE name = ?`, index)
      .count
  const createAlert = () => stores.alerts.create(newAlert(acme, { content: 'apple' }))
  const createCase = (key: string) => stores.cases.create(acme.uuid, { title: key }, somebody(), key)

  for (const [what, index, create, list] of [
    ['alerts', 'alerts_of_status', createAlert, () => stores.alerts.list('all', { status: 0 }, { limit: 9 })],
    [
      'cases',
      'cases_of_status',
      () => createCase('one'),
      () => stores.cases.list('all', { status: 'open' }, { limit: 9 }),
    ],
  ] as const) {
    it(`are written when ${what} are listed with a filter, not when they are stored`, async () => {
      const { id } = await create()
      expect(indexed(index)).to.equal(0)
      const { data, total } = await list()
      expect([data.map((row) => row.id), total]).to.deep.equal([[id], 1])
      expect(indexed(index)).to.equal(1)
    })

    it(`are not needed to list all ${what} by creation time`, async () => {
      await create()
      const page = { limit: 9 }
      const all = what === 'alerts' ? stores.alerts.list('all', {}, page) : stores.cases.list('all', {}, page)
      expect((await all).total).to.equal(1)
      expect(indexed(index)).to.equal(0)
    })

    it(`are not required: no ${what} are missing while they cannot be written`, async () => {
      const listed = await create()
      await list()
      const patient = await openStoresIn(folder.path, { claim: 'shared', busyTimeoutMs: 1 })
      const { id } = what === 'alerts' ? await createAlert() : await createCase('two')
      other.script('BEGIN IMMEDIATE')
      const page = { limit: 9 }
      const { data, total } = await (what === 'alerts'
        ? patient.alerts.list('all', { status: 0 }, page)
        : patient.cases.list('all', { status: 'open' }, page))
      expect([data.map((row) => row.id), total]).to.deep.equal([[id, listed.id], 2])
      expect(indexed(index)).to.equal(1)
      other.script('ROLLBACK')
      await patient.close()
    })
  }

  it('are written in the background for rows older than two seconds', async () => {
    const database = new SqliteDatabase(other)
    const context = {
      database,
      transactions: new GroupCommit(database),
      clock: { now: () => 0, monotonic: () => 0 },
    }
    const rows = new ListedRows(context)
    await createAlert()
    done(rows.listSettled(0))
    await createAlert()
    done(rows.listSettled(1_999))
    expect([indexed('alerts_of_status'), done(rows.isBehind())]).to.deep.equal([0, true])
    done(rows.listSettled(2_000))
    expect(indexed('alerts_of_status')).to.equal(1)
    done(rows.listSettled(4_000))
    expect([indexed('alerts_of_status'), done(rows.isBehind())]).to.deep.equal([2, false])
  })

  it('are written in pieces, and completely before a list', async () => {
    other.script(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
      INSERT INTO cases (organization_id, number, title, summary, status, severity, verdict, created_at, modified_at)
      SELECT 1, i, '', '', iif(i % 2, 'open', 'closed'), 'low', 'unknown', i, i FROM n`)
    const { total } = await stores.cases.list([acme.uuid], { status: 'open' }, { limit: 1 })
    expect([total, indexed('cases_of_status')]).to.deep.equal([1_250, 2_500])
  })

  it('follow later changes of rows', async () => {
    const { id } = await createCase('one')
    const open = () => stores.cases.list('all', { status: 'open' }, { limit: 9 })
    expect((await open()).total).to.equal(1)
    await stores.cases.update(acme.uuid, id, { status: 'closed' }, somebody(), 'close')
    expect((await open()).total).to.equal(0)
    expect((await stores.cases.list('all', { status: 'closed' }, { limit: 9 })).data[0]?.id).to.equal(id)
  })
})
