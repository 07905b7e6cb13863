import type {
  EventFilter,
  EventWait,
  EventWaitStore,
  NewEventWait,
  NextEvents,
} from '../../../core/ports/runs/event-wait-store.ts'
import type { RunKey } from '../../../core/ports/runs/run-store.ts'
import { rowsWithin, selectSizedAlert, toAlert, type SizedAlertRow } from '../alerts/alert-rows.ts'
import { SqliteStore } from '../context/store-context.ts'
import { fromJson, toJson } from '../database/columns.ts'
import { disarm, isArmed, waitKeysOf } from './wake-waits.ts'

interface WaitRow extends EventWait {
  readonly id: number
  readonly organizationRow: number
  readonly filter: string
  readonly position: number
  readonly ownAlert: number | null
}

const selectWait = `
  SELECT w.id, w.organization_id AS organizationRow, w.filter, w.position, w.examined, w.failed,
    w.last_failure AS lastFailure, w.misses, r.alert_id AS ownAlert
  FROM event_waits w JOIN runs r ON r.id = w.run_id WHERE r.uuid = ? AND w.path = ?`

/** Contents that are read at a time, in bytes. */
const maxBytes = 8_000_000

export class SqliteEventWaitStore extends SqliteStore implements EventWaitStore {
  open(runUuid: string, { path, filter, sinceRun }: NewEventWait): Promise<EventWait> {
    return this.commits.write(() => {
      const position = sinceRun ? this.#startOf(runUuid) : this.#newest()
      this.database.run(
        `INSERT INTO event_waits (run_id, organization_id, path, filter, position)
         SELECT id, organization_id, ?, ?, ? FROM runs WHERE uuid = ? ON CONFLICT (run_id, path) DO NOTHING`,
        path,
        toJson(filter),
        position,
        runUuid,
      )
      const { examined, failed, lastFailure, misses } = this.#require(runUuid, path)
      return { examined, failed, lastFailure, misses }
    })
  }

  next(runUuid: string, path: string, limit: number): Promise<NextEvents> {
    // A write, so that it runs after the writes that store events.
    return this.commits.write(() => {
      const wait = this.#require(runUuid, path)
      const newest = this.#newest()
      // An event that fits would have woken the run.
      if (isArmed(this.database, wait.id)) return { events: [], upTo: newest, hasMore: false }
      const found = this.#rowsAfter(wait, limit)
      const rows = rowsWithin(found, maxBytes)
      const isCut = rows.length < found.length || found.length === limit
      return {
        events: rows.map((row) => ({ position: row.id, alert: toAlert(this.database, row) })),
        upTo: isCut ? (rows.at(-1)?.id ?? wait.position) : newest,
        hasMore: isCut,
      }
    })
  }

  async pass(
    runUuid: string,
    path: string,
    upTo: number,
    { examined, failed, lastFailure, misses }: EventWait,
  ): Promise<void> {
    await this.commits.write(() => {
      const { id } = this.#require(runUuid, path)
      this.database.run(
        'UPDATE event_waits SET position = max(position, ?), examined = ?, failed = ?, last_failure = ?, misses = ? WHERE id = ?',
        upTo,
        examined,
        failed,
        lastFailure,
        misses,
        id,
      )
    })
  }

  arm(runUuid: string, path: string): Promise<boolean> {
    return this.commits.write(() => {
      const wait = this.#require(runUuid, path)
      disarm(this.database, wait.id)
      if (this.#rowsAfter(wait, 1).length > 0) return false
      for (const key of waitKeysOf(filterOf(wait).types))
        this.database.run(
          'INSERT INTO event_wait_keys (organization_id, key, wait_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
          wait.organizationRow,
          key,
          wait.id,
        )
      return true
    })
  }

  watch(onWoken: (run: RunKey) => void): void {
    this.database.onWoken = onWoken
  }

  #rowsAfter(wait: WaitRow, limit: number): readonly SizedAlertRow[] {
    const { types, provider } = filterOf(wait)
    const ofTypes = types === null ? '1 = ?' : 't.type IN (SELECT value FROM json_each(?))'
    const given = [
      types === null ? 1 : JSON.stringify(types),
      wait.position,
      wait.organizationRow,
      wait.ownAlert,
      provider,
      provider,
      limit,
    ]
    const after = (part: string) =>
      `SELECT * FROM (SELECT t.id FROM alerts t WHERE ${part} AND ${ofTypes} AND t.id > ? AND t.organization_id = ?
         AND t.id IS NOT ? AND (? IS NULL OR t.provider_id = (SELECT id FROM providers WHERE lower(code) = lower(?)))
       ORDER BY t.id LIMIT ?)`
    // Two parts, because the newest rows are not in the index of types yet.
    const ids = this.database.all<{ readonly id: number }>(
      `${after('t.listed = 1')} UNION ${after(`t.id > (SELECT value FROM facts WHERE name = 'alerts_listed_to') AND t.listed = 0`)}
       ORDER BY id LIMIT ?`,
      ...given,
      ...given,
      limit,
    )
    return this.database.all<SizedAlertRow>(
      `${selectSizedAlert} WHERE t.id IN (SELECT value FROM json_each(?)) ORDER BY t.id`,
      JSON.stringify(ids.map(({ id }) => id)),
    )
  }

  #newest(): number {
    return this.database.one<{ id: number }>('SELECT ifnull(max(id), 0) AS id FROM alerts').id
  }

  /** The own alert of the run; without one, the last alert before the run was created. */
  #startOf(runUuid: string): number {
    return this.database.one<{ id: number }>(
      `SELECT ifnull(r.alert_id, (SELECT ifnull(max(id), 0) FROM alerts WHERE created_at < r.created_at)) AS id
       FROM runs r WHERE r.uuid = ?`,
      runUuid,
    ).id
  }

  #require(runUuid: string, path: string): WaitRow {
    return this.database.one<WaitRow>(selectWait, runUuid, path)
  }
}

const filterOf = ({ filter }: WaitRow): EventFilter => fromJson<EventFilter>(filter)
