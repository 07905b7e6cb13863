import { join } from 'node:path'
import { expect } from 'chai'
import { expiryQueries } from '../../server/sql/containments/containment-store.ts'
import { openDatabase } from '../../server/sqlite/file/open-database.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

describe('the queries for containments that expire', () => {
  let folder: TemporaryFolder
  before(async () => (folder = await makeTemporaryFolder()))
  after(() => folder.remove())

  it('find them by state and expiry, regardless of the number of those that were undone', () => {
    const database = openDatabase(join(folder.path, 'tocsin.db'))
    try {
      for (const [name, sql] of Object.entries(expiryQueries)) {
        const values = Array.from(sql.matchAll(/\?/g), () => 1)
        const plan = database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values)
        expect(plan[0]?.detail, name).to.match(/containments_by_expiry \(state=\? AND expires_at[<>]\?\)$/)
      }
    } finally {
      database.close()
    }
  })
})
