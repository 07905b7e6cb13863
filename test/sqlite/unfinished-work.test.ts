import { join } from 'node:path'
import { expect } from 'chai'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { done, SqliteDatabase } from '../../server/sqlite/database/sqlite-database.ts'
import { openDatabase } from '../../server/sqlite/file/open-database.ts'
import { countUnfinished } from '../../server/sql/runs/unfinished-work.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

/** Records the queries. */
class WatchedDatabase extends SqliteConnection {
  readonly asked: string[] = []

  override get<Row>(sql: string, ...values: []): Row | undefined {
    this.asked.push(sql)
    return super.get<Row>(sql, ...values)
  }
}

describe('the counts of a metrics scrape', () => {
  let folder: TemporaryFolder
  before(async () => (folder = await makeTemporaryFolder()))
  after(() => folder.remove())

  it('use indexes of unfinished rows, regardless of the number of alerts and runs', () => {
    const path = join(folder.path, 'tocsin.db')
    openDatabase(path).close()
    const database = new WatchedDatabase(path)
    try {
      expect(done(countUnfinished(new SqliteDatabase(database), 0))).to.include({
        queued: 0,
        oldestQueuedMs: 0,
        unknownSteps: 0,
      })
      const asked = database.asked.slice()
      expect(asked).to.have.length(11)
      const plans = asked.flatMap((sql) => {
        const values = Array.from(sql.matchAll(/\?/g), () => 'any')
        const plan = database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values)
        return plan.map(({ detail }) => detail)
      })
      const bounded =
        /^SEARCH |^SCAN \w+ USING (COVERING )?INDEX (journal_unknown|checkpoints_waiting\w*|rated_starts_waiting|trigger_events_of_organization)$/
      expect(plans.filter((detail) => !bounded.test(detail))).to.deep.equal([])
    } finally {
      database.close()
    }
  })
})
