import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { readConfig } from '../../server/config/config.ts'
import { bootstrap } from '../../server/access/bootstrap.ts'
import { openStores } from '../../server/store/open-stores.ts'

export interface Filling {
  /** Number of alerts, each investigated by a run of five steps. */
  readonly stored: number
  /** Number of runs that wait for a day or longer. */
  readonly waiting: number
}

/** Rows per transaction. */
const batch = 20_000

/**
 * Fills a new data directory with plain SQL, because a server would take hours. The words of the alerts are
 * not indexed. Returns an admin key.
 */
export async function fill(
  dataDir: string,
  playbookHash: string,
  { stored, waiting }: Filling,
): Promise<string> {
  const stores = await openStores(readConfig({ TOCSIN_DATA_DIR: dataDir }), 'exclusive')
  const { adminKey } = await bootstrap(stores, undefined, 'http://127.0.0.1', Date.now())
  await stores.close()
  const database = new Sqlite(join(dataDir, 'tocsin.db'))
  database.pragma('synchronous = OFF')
  database.pragma('cache_size = -200000')
  for (let from = 0; from < stored; from += batch) {
    const range = { from, to: Math.min(from + batch, stored), hash: playbookHash, now: Date.now() }
    database.transaction(() => {
      for (const sql of storedAlerts) database.prepare(sql).run(range)
    })()
  }
  for (let from = stored; from < stored + waiting; from += batch) {
    const range = { from, to: Math.min(from + batch, stored + waiting), hash: playbookHash, now: Date.now() }
    database.transaction(() => {
      for (const sql of waitingRuns) database.prepare(sql).run(range)
    })()
  }
  database.exec(`
    UPDATE organizations SET last_case_number = ${stored + waiting};
    INSERT INTO alert_sequences (organization_id, provider_id, last) VALUES (1, 1, ${stored});
    UPDATE facts SET value = ${stored} WHERE name IN ('alerts_indexed_to', 'alerts_listed_to');
    UPDATE facts SET value = ${stored + waiting} WHERE name = 'cases_listed_to';
  `)
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
  return adminKey ?? ''
}

const numbers = 'WITH RECURSIVE n (i) AS (SELECT $from + 1 UNION ALL SELECT i + 1 FROM n WHERE i < $to)'
const uuid = (kind: string) => `format('${kind}-%012x', i)`
const at = '$now - 86400000 + i'

const cases = `${numbers}
  INSERT INTO cases (id, organization_id, number, title, summary, status, severity, verdict, created_at, modified_at,
    listed)
  SELECT i, 1, i, 'suspicious_sign_in (main-x-' || i || ')', '', 'open', 'medium', 'unknown', ${at}, ${at}, 1 FROM n`

const storedAlerts = [
  cases,
  `${numbers}
  INSERT INTO alerts (id, uuid, organization_id, provider_id, sequence, type, created_by, created_at, modified_at, status,
    investigator, case_id, completed_at, listed)
  SELECT i, ${uuid('00000000-0000-7000-8000')}, 1, 1, i, 'suspicious_sign_in', '00000000-0000-7000-8000-000000000000', ${at}, ${at}, 15,
    'five-steps', i, ${at}, 1 FROM n`,
  `${numbers} INSERT INTO alert_contents (alert_id, content) SELECT i, hex(randomblob(1000)) FROM n`,
  `${numbers}
  INSERT INTO runs (id, uuid, organization_id, playbook_name, playbook_hash, alert_id, case_id, status, created_at, started_at, ended_at,
    output)
  SELECT i, ${uuid('00000000-0000-7001-8000')}, 1, 'five-steps', $hash, i, i, 'completed', ${at}, ${at}, ${at}, 'null' FROM n`,
  ...[1, 2, 3, 4, 5].map(
    (step) => `${numbers}
  INSERT INTO journal (run_id, path, step_id, kind, state, input, output, attempt, started_at, ended_at)
  SELECT i, 's${step}', 's${step}', 'set', 'completed', 'null', '{"value":${step}}', 1, ${at}, ${at} FROM n`,
  ),
  ...['opened', 'alert', 'run_ended'].map(
    (kind) => `${numbers}
  INSERT INTO case_entries (case_id, at, author_kind, author_id, author, kind, text)
  SELECT i, ${at}, 'run', '00000000-0000-7001-8000-000000000000', 'five-steps', '${kind}', 'The run of five-steps completed.' FROM n`,
  ),
]

const waitingRuns = [
  cases,
  `${numbers}
  INSERT INTO runs (id, uuid, organization_id, playbook_name, playbook_hash, case_id, status, created_at, started_at, wake_at)
  SELECT i, ${uuid('00000000-0000-7001-8000')}, 1, 'five-steps', $hash, i, 'running', ${at}, ${at}, $now + 86400000 + i FROM n`,
  `${numbers}
  INSERT INTO journal (run_id, path, step_id, kind, state, input, attempt, started_at)
  SELECT i, 'w', 'w', 'wait', 'started', '{"until_ms":' || ($now + 86400000 + i) || '}', 1, ${at} FROM n`,
]
