import type { Work } from '../database/work.ts'
import { maxTriggerAlerts } from '../../../core/trigger/trigger-schema.ts'
import { hasFired } from '../../../core/transitions/trigger/start-rules.ts'
import type { CountedObservable, EntityCount, ReachedCount } from '../../../core/ports/runs/trigger-store.ts'
import { deleteExpired, expiringTables } from '../context/rows.ts'
import type { Database } from '../database/database.ts'

interface Sighting {
  /** Row. */
  readonly organization: number
  /** Id of the alert. */
  readonly alert: string
  /** When the alert arrived, in epoch milliseconds. */
  readonly at: number
  /** The present time. */
  readonly now: number
}

/** Expired rows deleted with each alert: more than it can add. */
const maxExpired = 200

/** Inside of a write: notes the observables of an alert, and gives the counts that it reaches. */
export function* countObservables(
  database: Database,
  sighting: Sighting,
  counts: readonly EntityCount[],
): Work<readonly ReachedCount[]> {
  const { organization, alert, at } = sighting
  if (counts.length === 0) return []
  const before = at - Math.max(...counts.map(({ withinMs }) => withinMs))
  for (const rows of [expiringTables.sightings, expiringTables.firings])
    yield* deleteExpired(database, rows, before, maxExpired)
  for (const { kind, value } of counts.flatMap((count) => count.observables))
    yield* database.run(
      'INSERT INTO entity_sightings (organization_id, kind, value, at, alert) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
      organization,
      kind,
      value,
      at,
      alert,
    )
  const found: ReachedCount[] = []
  for (const count of counts)
    for (const observable of count.observables)
      found.push(...(yield* reached(database, sighting, observable, count)))
  return found
}

function* reached(
  database: Database,
  { organization, at, now }: Sighting,
  { kind, value }: CountedObservable,
  count: EntityCount,
): Work<readonly ReachedCount[]> {
  const { playbookName, withinMs } = count
  const key = [organization, playbookName, kind, value] as const
  const fired = yield* database.get<{ at: number }>(
    'SELECT at FROM entity_firings WHERE organization_id = ? AND playbook_name = ? AND kind = ? AND value = ?',
    ...key,
  )
  // Asked first: a flood of alerts with one observable must not count all of its sightings for each alert.
  if (hasFired(count, fired?.at, at, now)) return []
  const observable = [organization, kind, value] as const
  const sightings = 'entity_sightings WHERE organization_id = ? AND kind = ? AND value = ?'
  // Of the windows with this sighting, the first with enough: alerts that arrived after it may have been counted before.
  const found = yield* database.get<{ count: number; firstAt: number; lastAt: number }>(
    `SELECT ends.at AS "lastAt", count(*) AS count, min(seen.at) AS "firstAt"
     FROM (SELECT DISTINCT at FROM ${sightings} AND at >= ? AND at < ?) ends
       JOIN (SELECT at FROM ${sightings} AND at > ? AND at < ?) seen ON seen.at <= ends.at AND seen.at > ends.at - ?
     GROUP BY ends.at HAVING count(*) >= ? ORDER BY ends.at LIMIT 1`,
    ...observable,
    at,
    at + withinMs,
    ...observable,
    at - withinMs,
    at + withinMs,
    withinMs,
    count.times,
  )
  if (found === undefined) return []
  const { lastAt, ...reachedCount } = found
  yield* database.run(
    `INSERT INTO entity_firings (organization_id, playbook_name, kind, value, at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (organization_id, playbook_name, kind, value) DO UPDATE SET at = excluded.at`,
    ...key,
    lastAt,
  )
  const alerts = yield* database.all<{ alert: string }>(
    `SELECT alert FROM ${sightings} AND at > ? AND at <= ? ORDER BY at DESC, alert DESC LIMIT ?`,
    ...observable,
    lastAt - withinMs,
    lastAt,
    maxTriggerAlerts,
  )
  return [{ playbookName, kind, value, ...reachedCount, alerts: alerts.map((row) => row.alert) }]
}
