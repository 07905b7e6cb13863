import { parsePostgresAddress } from '../../../server/postgres/driver/address.ts'
import type { MigrationProgress } from '../../../server/postgres/move/copy-all.ts'
import { migrateToPostgres } from '../../../server/postgres/move/to-postgres.ts'
import { migrateToSqlite } from '../../../server/postgres/move/to-sqlite.ts'

/** Migrates, and kills itself some time after the given report of its progress. */
const [direction = '', dataDir = '', given = '', killAt = '', delayMs = ''] = process.argv.slice(2)

let reports = 0
const report = (): void => {
  reports++
  if (reports !== Number(killAt)) return
  const kill = (): boolean => process.kill(process.pid, 'SIGKILL')
  if (delayMs === '0') kill()
  else setTimeout(kill, Number(delayMs))
}
const progress: MigrationProgress = { onPlan: report, onTable: report, onRows: report, onStep: report }
const address = parsePostgresAddress(given)
if (direction === 'to') await migrateToPostgres({ dataDir, address, program: '0.1.0', progress })
else await migrateToSqlite({ dataDir, address, progress })
