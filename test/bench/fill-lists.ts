import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { readConfig } from '../../server/config/config.ts'
import { bootstrap } from '../../server/access/bootstrap.ts'
import { openStores } from '../../server/store/open-stores.ts'
import { somebody } from '../support/somebody.ts'

const dayMs = 86_400_000

export interface ListSizes {
  readonly alerts: number
  readonly cases: number
}

/**
 * Fills all lists of a new data directory with plain SQL, spread over a year and three organizations: alerts, as many runs and audit entries,
 * cases, and some thousand rows of what is less frequent. Returns an admin key.
 */
export async function fillLists(dataDir: string, { alerts, cases }: ListSizes): Promise<string> {
  const stores = await openStores(readConfig({ TOCSIN_DATA_DIR: dataDir }), 'exclusive')
  const { adminKey } = await bootstrap(stores, undefined, 'http://127.0.0.1', Date.now())
  for (const code of ['acme', 'globex']) await stores.organizations.create({ code, name: code }, somebody())
  for (const code of ['siem', 'edr', 'mail', 'cloud'])
    await stores.providers.create({ code, name: code }, somebody())
  await stores.close()
  const database = new Sqlite(join(dataDir, 'tocsin.db'))
  database.pragma('synchronous = OFF')
  database.pragma('cache_size = -400000')
  const { last } = database.prepare('SELECT max(id) AS last FROM audit').get() as { last: number }
  const values = { alerts, cases, last, from: Date.now() - 365 * dayMs, step: (365 * dayMs) / alerts }
  database.transaction(() => {
    for (const sql of statements) {
      const used = Object.entries(values).filter(([name]) => sql.includes(`$${name}`))
      database.prepare(sql).run(Object.fromEntries(used))
    }
  })()
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
  return adminKey ?? ''
}

const upTo = (count: string): string =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`
const at = 'CAST($from + i * $step AS INTEGER)'
const organization = '(1 + (i % 10 = 0) + 2 * (i % 100 = 1))'

const statements = [
  `${upTo('$cases')}
  INSERT INTO cases (id, organization_id, number, title, summary, status, severity, verdict, assignee, created_at, modified_at, closed_at, listed)
  SELECT i, ${organization}, i, 'Sign-in of user' || i, 'word' || (i % 1000), iif(i % 5, 'closed', 'open'),
    CASE i % 4 WHEN 0 THEN 'high' WHEN 1 THEN 'low' WHEN 2 THEN 'medium' ELSE 'critical' END, iif(i % 3, 'benign', 'malicious'),
    iif(i % 7, 'ana', NULL), CAST($from + i * $step * $alerts / $cases AS INTEGER), CAST($from + i * $step * $alerts / $cases AS INTEGER) + i % 7000000,
    iif(i % 5, $from + i, NULL), 1 FROM n`,
  `${upTo('$alerts')}
  INSERT INTO alerts (id, uuid, organization_id, provider_id, sequence, type, title, severity, created_by, created_at, modified_at, status,
    investigator, case_id, completed_at, listed, observed_case)
  SELECT i, format('00000000-0000-7000-8000-%012x', i), ${organization}, 1 + i % 5, i, 'type_' || (i % 39), 'Sign-in of user' || (i % 5000), iif(i % 2, 'high', 'low'), 'x',
    ${at}, ${at} + i % 7000, iif(i % 50, 15, 20), 'playbook-' || (i % 20), 1 + i % $cases, ${at} + 900, 1, 1 + i % $cases FROM n`,
  `INSERT INTO alert_contents SELECT id, format('{"user":"user%d","source_ip":"203.0.113.%d"}', id % 5000, id % 256) FROM alerts`,
  `INSERT INTO alert_search (rowid, text)
  SELECT id, format('main-custom-%d %s user%d 203.0.113.%d', id, type, id % 5000, id % 256) || iif(id % 1000, '', ' beacon') FROM alerts`,
  `${upTo('$alerts')}
  INSERT INTO runs (id, uuid, organization_id, playbook_name, playbook_hash, alert_id, case_id, status, created_at, started_at, ended_at, output, error, observed_case,
    observed_end, counted)
  SELECT i, format('00000000-0000-7001-8000-%012x', i), ${organization}, 'playbook-' || (i % 20), 'x', i, 1 + i % $cases, iif(i % 50, 'completed', 'failed'), ${at}, ${at}, ${at} + 4000,
    'null', iif(i % 50, NULL, format('{"code":"%s","message":"The other system said no"}', iif(i % 3, 'timeout', 'broken'))), 0, 1, 1 FROM n`,
  `${upTo('$alerts')}
  INSERT INTO audit (id, entry, hash)
  SELECT $last + i, format('{"action":"%s","actor":{"id":"%s","kind":"run","name":"playbook-%d"},"at":%d,"details":{"path":"cut","skill":"%s"},"organization_code":"main","organization_uuid":"%s","request_id":null,"sequence":%d,"subject":{"id":"run-%d","kind":"run","name":"playbook-%d"}}',
    iif(i % 2, 'skill.called', 'skill.ended'), 'run-' || i, i % 20, ${at}, iif(i % 1000, 'endpoint.isolate', 'mail.purge'),
    (SELECT uuid FROM organizations WHERE id = ${organization}), $last + i, i, i % 20), '' FROM n`,
  `${upTo('$cases')}
  INSERT INTO observables (id, organization_id, kind, value, first_at, last_at, alerts, cases)
  SELECT i, ${organization}, iif(i % 2, 'host', 'ip'), 'ws-' || i, ${at}, ${at}, $alerts / $cases, 1 FROM n`,
  `INSERT INTO observable_alerts SELECT case_id, id FROM alerts`,
  `INSERT INTO observable_cases SELECT id, id, 1, 0 FROM cases`,
  `${upTo('10000')}
  INSERT INTO containments (uuid, organization_id, case_id, run_uuid, path, state, action, undone_by, created_at, changed_at, owner)
  SELECT format('00000000-0000-7004-8000-%012x', i), 1, 1 + i % $cases, format('00000000-0000-7001-8000-%012x', i), 'cut', iif(i % 4, 'undone', 'active'),
    json_object('run_uuid', format('00000000-0000-7001-8000-%012x', i), 'path', 'cut', 'skill', 'endpoint.isolate', 'targets', json_array()), 'endpoint.release', ${at}, ${at},
    '{"kind":"run","id":"x","name":"x"}' FROM n`,
  `${upTo('10000')}
  INSERT INTO checkpoints (public_id, organization_id, run_id, path, question, state, created_at, timeout_at, kind)
  SELECT 'q' || i, ${organization}, 1 + i % $alerts, 'sure' || i, '{"via":"operator","message":"Is this real?","answers":[{"value":"yes","label":"Yes"},{"value":"no","label":"No"}]}',
    iif(i % 10, 'answered', 'expired'), ${at}, ${at}, 'playbook:sure' FROM n`,
  `${upTo('1000')}
  INSERT INTO playbooks (name, hash, source, origin, newest, created_at, put_in_force_by, put_in_force_at)
  SELECT 'playbook-' || i, 'x' || i, '', 'made', 1, ${at}, '{"kind":"server","id":"server","name":"server"}', ${at} FROM n`,
  `UPDATE facts SET value = $alerts WHERE name IN ('alerts_indexed_to', 'alerts_listed_to', 'alerts_observed_to', 'runs_observed_to', 'runs_counted_to')`,
  `UPDATE facts SET value = $cases WHERE name = 'cases_listed_to'`,
  `UPDATE organizations SET last_case_number = $cases`,
]
