import { join } from 'node:path'
import Sqlite from 'better-sqlite3'

/**
 * A second organization, and alerts that vary like real ones: in organization, provider, name, status, time
 * and content.
 */
const statements = [
  `INSERT INTO organizations (id, uuid, code, name, created_at)
   SELECT 2, '00000000-0000-7002-8000-000000000002', 'acme', 'Acme', created_at FROM organizations WHERE id = 1`,
  `UPDATE alerts SET
     organization_id = iif(id % 4 = 0, 2, 1),
     provider_id = 1 + id % 7,
     type = format('%s_%d', CASE id % 5 WHEN 0 THEN 'sign_in' WHEN 1 THEN 'malware' ELSE 'mail' END, id % 40),
     status = CASE id % 50 WHEN 0 THEN 20 WHEN 1 THEN 0 ELSE 15 END,
     created_at = created_at - 60000 * ((SELECT max(id) FROM alerts) - id)`,
  `UPDATE alerts SET modified_at = created_at + id % 7000, completed_at = iif(status = 15, created_at + id % 7000, NULL)`,
  `UPDATE alert_contents SET content = format(
     '{"user":"user%d@example.com","source_ip":"203.0.113.%d","severity":"high","rule":"%s","message":"%s"}',
     alert_id % 5000, alert_id % 256, iif(alert_id % 1000 = 0, 'beacon', 'usual'), replace(hex(zeroblob(300)), '00', 'event '))`,
  `INSERT INTO alert_search (rowid, text)
   SELECT t.id, format('%s-%d-%d %s %s', iif(t.organization_id = 2, 'acme', 'main'), t.provider_id, t.sequence, t.type, b.content)
   FROM alerts t CROSS JOIN alert_contents b ON b.alert_id = t.id`,
]

/** Varies the identical alerts that `fill` wrote to a data directory. */
export function varyAlerts(dataDir: string): void {
  const database = new Sqlite(join(dataDir, 'tocsin.db'))
  database.pragma('synchronous = OFF')
  database.pragma('cache_size = -200000')
  for (const sql of statements) database.prepare(sql).run()
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
}
