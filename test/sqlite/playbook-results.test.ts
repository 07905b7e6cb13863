import { expect } from 'chai'
import { join } from 'node:path'
import type { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import type { SqlValue } from '../../server/sql/database/columns.ts'
import { known } from '../../server/sql/database/work.ts'
import { done, SqliteDatabase } from '../../server/sqlite/database/sqlite-database.ts'
import { openDatabase } from '../../server/sqlite/file/open-database.ts'
import type { OrganizationScope } from '../../core/ports/common.ts'
import type { ResultsRequest } from '../../core/ports/runs/run-store.ts'
import { playbookResults } from '../../server/sql/playbooks/playbook-results.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const acme = '00000000-0000-4000-8000-00000000000a'
const globex = '00000000-0000-4000-8000-00000000000b'
const request = { name: 'busy', weekFrom: 700, monthFrom: 300, runs: 3 }

describe('results of a playbook in SQLite', () => {
  let folder: TemporaryFolder
  let database: SqliteConnection

  before(async () => {
    folder = await makeTemporaryFolder()
    database = openDatabase(join(folder.path, 'tocsin.db'))
    database.pragma('foreign_keys = OFF')
    for (const [id, uuid] of [acme, globex].entries())
      database.run(
        'INSERT INTO organizations (id, uuid, code, name, created_at) VALUES (?, ?, ?, ?, 0)',
        id + 1,
        uuid,
        uuid,
        uuid,
      )
  })
  after(async () => {
    database.close()
    await folder.remove()
  })
  beforeEach(() => void database.run('DELETE FROM runs'))

  /** Runs at `from`, `from + 1`, …, alternating between organizations unless one is given. */
  function add(
    playbook: string,
    from: number,
    count: number,
    other: { status?: string; organization?: number } = {},
  ) {
    database.run(
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
       INSERT INTO runs (uuid, organization_id, playbook_name, playbook_hash, alert_id, status, created_at)
       SELECT ? || (? + i), ifnull(?, 1 + i % 2), ?, 'h', iif(? = 'by hand', NULL, i + 1), ?, ? + i FROM n`,
      count,
      `${playbook} ${other.status ?? ''}`,
      from,
      other.organization ?? null,
      playbook,
      playbook,
      other.status ?? 'completed',
      from,
    )
  }

  const resultsOf = (scope: OrganizationScope, given: ResultsRequest = request) =>
    done(playbookResults(new SqliteDatabase(database), scope, given))

  it('counts the alerts of the week and the month in visible organizations', () => {
    add('busy', 200, 700)
    add('idle', 500, 9)
    expect(resultsOf('all')).to.deep.include({
      since: 300,
      alerts: { week: 200, month: 600 },
      judged: 100,
      failed: 0,
    })
    expect(resultsOf([acme]).alerts).to.deep.equal({ week: 100, month: 300 })
    expect(resultsOf([acme, globex]).alerts).to.deep.equal({ week: 200, month: 600 })
    expect(resultsOf([])).to.deep.include({
      alerts: { week: 0, month: 0 },
      runs: [],
    })
    expect(resultsOf('all', { ...request, name: 'never' })).to.deep.equal({
      since: 300,
      alerts: { week: 0, month: 0 },
      repeats: { week: 0, month: 0 },
      judged: 0,
      failed: 0,
      runs: [],
    })
  })

  it('lists runs without an alert but does not count them', () => {
    add('by hand', 800, 2)
    const results = resultsOf('all', { ...request, name: 'by hand' })
    expect(results.alerts).to.deep.equal({ week: 0, month: 0 })
    expect(results.runs.map(({ createdAt }) => createdAt)).to.deep.equal([801, 800])
  })

  it('lists the newest runs and counts failures of the last hundred', () => {
    add('busy', 100, 200)
    add('busy', 400, 5, { status: 'failed' })
    add('busy', 500, 2, { status: 'waiting' })
    const results = resultsOf('all')
    expect(results.runs.map(({ status, createdAt }) => [status, createdAt])).to.deep.equal([
      ['waiting', 501],
      ['waiting', 500],
      ['failed', 404],
    ])
    expect(results).to.include({ judged: 98, failed: 5 })
  })

  it('reads at most ten thousand runs from the index, and reports the covered period', () => {
    add('busy', 1_000, 12_000)
    const plans: string[] = []
    const explain = (sql: string, values: readonly SqlValue[]): void => {
      const rows = database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values)
      plans.push(rows.map(({ detail }) => detail).join('\n'))
    }
    const watched = Object.assign(new SqliteDatabase(database), {
      get: (sql: string, ...values: SqlValue[]) => (
        explain(sql, values),
        known(database.get(sql, ...values))
      ),
      all: (sql: string, ...values: SqlValue[]) => (
        explain(sql, values),
        known(database.all(sql, ...values))
      ),
    })
    for (const scope of ['all', [acme], [acme, globex]] as const) {
      const { since, alerts } = done(playbookResults(watched, scope, request))
      expect(since).to.equal(3_000)
      expect(alerts.month).to.equal(scope.length === 1 ? 5_000 : 10_000)
    }
    const ofRepeats = plans.filter((plan) => plan.includes('alerts_repeating'))
    expect(ofRepeats).to.have.length(3)
    for (const plan of ofRepeats)
      expect(plan).to.contain('SEARCH t USING INDEX alerts_repeating (investigator=? AND created_at>?)')
    const ofRuns = plans.filter((plan) => !ofRepeats.includes(plan))
    expect(ofRuns).to.have.length(6)
    for (const plan of ofRuns) {
      expect(plan).to.contain('SEARCH runs USING COVERING INDEX runs_of_playbook (playbook_name=?')
      expect(plan).not.to.match(/SCAN (?:runs|t)\b/)
    }
  })
})
