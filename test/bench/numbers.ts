/**
 * The time of the tables of numbers, and of lists filtered by an observable, with a million alerts and a hundred thousand cases of a
 * year: `node test/bench/numbers.ts [alerts] [cases]`.
 */
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { relatingObservables } from '../../core/observable/related-cases.ts'
import { dayMs, numberRange } from '../../core/numbers/number-range.ts'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { somebody } from '../support/somebody.ts'
import { openStoresIn } from '../support/stores.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

const [alerts = 1_000_000, cases = 100_000] = process.argv.slice(2).map(Number)
const folder = await makeTemporaryFolder()
const now = Date.now()
const ip = { kind: 'ip', value: '203.0.113.9' } as const

const first = await openStoresIn(folder.path)
const { uuid } = await first.organizations.create({ code: 'main', name: 'x' }, somebody())
for (const code of ['siem', 'edr', 'mail']) await first.providers.create({ code, name: code }, somebody())
await first.close()

/** Alerts of a year of 40 types, of which one in ten is a repeat; each hundredth has the same address, every alert one of its own case. */
const database = new SqliteConnection(join(folder.path, 'tocsin.db'))
database.script(`
  PRAGMA synchronous = OFF;
  BEGIN;
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${cases})
  INSERT INTO cases (id, organization_id, number, title, summary, status, severity, verdict, created_at, modified_at, listed)
    SELECT i, 1, i, 'Case ' || i, '', 'closed', 'medium', 'benign', ${now} - ${365 * dayMs} + i * ${Math.floor((365 * dayMs) / cases)}, ${now}, 1 FROM n;
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${alerts})
  INSERT INTO alerts (id, uuid, organization_id, provider_id, sequence, type, severity, created_by, created_at, modified_at, status,
      case_id, group_sequence, observed_case, listed)
    SELECT i, 'alert ' || i, 1, 1 + i % 3, i, 'type ' || (i % 40), iif(i % 2, 'high', 'low'), 'x',
      ${now} - ${365 * dayMs} + i * ${Math.floor((365 * dayMs) / alerts)}, ${now}, 15, 1 + i % ${cases}, iif(i % 10, NULL, 1), 1 + i % ${cases}, 0 FROM n;
  INSERT INTO alert_contents SELECT id, '{}' FROM alerts;
  INSERT INTO runs (id, uuid, organization_id, playbook_name, playbook_hash, status, created_at, started_at, ended_at, observed_case, observed_end)
    SELECT id, 'run ' || id, 1, 'playbook ' || (id % 20), 'x', iif(id % 9, 'completed', 'failed'), created_at, created_at, created_at + 4000, 0, 1 FROM alerts;
  INSERT INTO observables (id, organization_id, kind, value, first_at, last_at, alerts, cases)
    SELECT id + 1, 1, 'host', 'ws-' || id, created_at, created_at, ${Math.floor(alerts / cases)}, 1 FROM cases;
  INSERT INTO observables (id, organization_id, kind, value, first_at, last_at, alerts, cases)
    VALUES (1, 1, '${ip.kind}', '${ip.value}', 1, 2, ${Math.floor(alerts / 100)}, ${Math.min(cases, Math.floor(alerts / 100))});
  INSERT INTO observable_alerts SELECT 1 + case_id, id FROM alerts;
  INSERT INTO observable_alerts SELECT 1, id FROM alerts WHERE id % 100 = 0;
  INSERT INTO observable_cases SELECT 1 + id, id, 1, 0 FROM cases;
  INSERT OR IGNORE INTO observable_cases SELECT 1, case_id, 1, 0 FROM alerts WHERE id % 100 = 0;
  UPDATE facts SET value = ${alerts} WHERE name IN ('alerts_observed_to', 'runs_observed_to', 'alerts_indexed_to');
  UPDATE facts SET value = ${cases} WHERE name = 'cases_listed_to';
  COMMIT;
  PRAGMA wal_checkpoint(TRUNCATE);
`)
database.close()

const stores = await openStoresIn(folder.path)
const print = (what: string, ms: number): void =>
  console.log(`${what.padEnd(46)} ${ms.toFixed(1).padStart(9)} ms`)
async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
  const from = performance.now()
  await work()
  print(what, performance.now() - from)
}

await measure(`roll up ${alerts.toLocaleString('en')} alerts and runs`, () => stores.numbers.catchUp())
for (const days of [1, 7, 30, 365]) {
  const range = numberRange(now - days * dayMs, now, now)
  for (const by of ['type', 'provider', 'severity'] as const)
    await measure(`${days} days: alerts by ${by}`, () => stores.numbers.alerts('all', range, by))
  for (const table of ['runs', 'failures', 'times', 'questions', 'containments'] as const)
    await measure(`${days} days: ${table}`, () => stores.numbers[table]('all', range))
  await measure(`${days} days: rules`, () => stores.numbers.rules('all', range, 50))
}
const page = { limit: 50 }
await measure('an observable', () => stores.observables.list('all', ip, page))
await measure('alerts with it', () => stores.alerts.list('all', { observable: ip }, page))
await measure('cases with it', () => stores.cases.list('all', { observable: ip }, page))
await measure('runs with it', () => stores.runs.list('all', { observable: ip }, page))
await measure('observables, newest first', () => stores.observables.list('all', {}, page))
await measure('observables by beginning', () => stores.observables.list('all', { prefix: 'ws-99' }, page))
await measure('cases related to one', () =>
  stores.observables.related(uuid, 'main-100', relatingObservables, 20),
)
await stores.close()
await folder.remove()
