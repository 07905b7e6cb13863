import { eachTogether, type Work } from '../database/work.ts'
import type {
  AwaitedAlerts,
  AwaitedChanges,
  EventFilter,
  EventWait,
  EventWaitStore,
  NewEventWait,
  NextEvents,
} from '../../../core/ports/runs/event-wait-store.ts'
import type { RunKey } from '../../../core/ports/runs/run-store.ts'
import { rowsWithin, selectSizedAlert, toAlert, type SizedAlertRow } from '../alerts/alert-rows.ts'
import { SqlStore } from '../context/store-context.ts'
import { foldAscii, fromJson, toJson } from '../database/columns.ts'
import { composeCaseId } from '../../../core/domain/ids.ts'
import { caseKey, waitKeysOf } from '../../../core/events/event-filter.ts'
import { caseForWrite, findCaseRow } from '../cases/case-rows.ts'
import type { RunTrigger } from '../../../core/domain/run.ts'
import { disarm, isArmed } from './wake-waits.ts'

interface WaitRow extends EventWait {
  readonly id: number
  readonly organizationRow: number
  readonly organizationUuid: string
  readonly filter: string
  readonly position: number
  readonly ownAlert: number | null
}

const selectWait = `
  SELECT w.id, w.organization_id AS "organizationRow", o.uuid AS "organizationUuid", w.filter, w.position, w.examined, w.failed,
    w.last_failure AS "lastFailure", w.misses, r.alert_id AS "ownAlert"
  FROM event_waits w JOIN runs r ON r.id = w.run_id JOIN organizations o ON o.id = w.organization_id
  WHERE r.uuid = ? AND w.path = ?`

/** Contents that are read at a time, in bytes. */
const maxBytes = 8_000_000

export class SqlEventWaitStore extends SqlStore implements EventWaitStore {
  open(runUuid: string, { path, filter, sinceRun }: NewEventWait): Promise<EventWait> {
    return this.writeAround(runUuid, function* () {
      const position =
        filter.kind === 'case' ? 0 : sinceRun ? yield* this.#startOf(runUuid) : yield* this.#newest()
      yield* this.database.run(
        `INSERT INTO event_waits (run_id, organization_id, path, filter, position)
         SELECT id, organization_id, ?, ?, ? FROM runs WHERE uuid = ? ON CONFLICT (run_id, path) DO NOTHING`,
        path,
        toJson(filter),
        position,
        runUuid,
      )
      const wait = yield* this.#require(runUuid, path)
      // Changes of cases are stored nowhere else, so each wait records them continuously.
      if (filter.kind === 'case') yield* this.#takeKeys(wait, yield* this.#keyOfCase(runUuid, wait, filter))
      const { examined, failed, lastFailure, misses } = wait
      return { examined, failed, lastFailure, misses }
    })
  }

  next(runUuid: string, path: string, limit: number): Promise<NextEvents> {
    // A write, so that it runs after the writes that store events.
    return this.writeAround(runUuid, function* () {
      const wait = yield* this.#require(runUuid, path)
      const filter = filterOf(wait)
      if (filter.kind === 'case') return yield* this.#changesAfter(wait, limit)
      const newest = yield* this.#newest()
      // An event that fits would have woken the run.
      if (yield* isArmed(this.database, wait.id)) return { events: [], upTo: newest, hasMore: false }
      const found = yield* this.#rowsAfter(wait, filter, limit)
      const rows = rowsWithin(found, maxBytes)
      const isCut = rows.length < found.length || found.length === limit
      return {
        events: yield* eachTogether(rows, (row) => this.#eventOf(row)),
        upTo: isCut ? (rows.at(-1)?.id ?? wait.position) : newest,
        hasMore: isCut,
      }
    })
  }

  *#eventOf(row: SizedAlertRow): Work<NextEvents['events'][number]> {
    return { position: row.id, at: row.createdAt, content: { alert: yield* toAlert(this.database, row) } }
  }

  async pass(
    runUuid: string,
    path: string,
    upTo: number,
    { examined, failed, lastFailure, misses }: EventWait,
  ): Promise<void> {
    await this.writeAround(runUuid, function* () {
      const { id } = yield* this.#require(runUuid, path)
      yield* this.database.run(
        'UPDATE event_waits SET position = max(position, ?), examined = ?, failed = ?, last_failure = ?, misses = ? WHERE id = ?',
        upTo,
        examined,
        failed,
        lastFailure,
        misses,
        id,
      )
      yield* this.database.run('DELETE FROM awaited_changes WHERE wait_id = ? AND position <= ?', id, upTo)
    })
  }

  arm(runUuid: string, path: string): Promise<boolean> {
    return this.writeAround(runUuid, function* () {
      const wait = yield* this.#require(runUuid, path)
      const filter = filterOf(wait)
      if (filter.kind === 'case') return (yield* this.#changesAfter(wait, 1)).events.length === 0
      yield* disarm(this.database, wait.id)
      if ((yield* this.#rowsAfter(wait, filter, 1)).length > 0) return false
      yield* this.#takeKeys(wait, waitKeysOf(filter))
      return true
    })
  }

  watch(onWoken: (run: RunKey) => void): void {
    this.database.onWoken = onWoken
  }

  /** Runs know their case, or another one, by its first id: it may have been merged or split since. */
  *#keyOfCase(
    runUuid: string,
    { organizationUuid }: WaitRow,
    filter: AwaitedChanges,
  ): Work<readonly string[]> {
    const { caseId } = filter
    const isOwn =
      caseId !== null && (yield* findCaseRow(this.database, caseId))?.organizationUuid === organizationUuid
    if (!isOwn) return waitKeysOf(filter)
    const by = { kind: 'run', id: runUuid, name: '', requestId: null } as const
    const { organizationCode, number } = yield* caseForWrite(this.database, organizationUuid, caseId, by)
    return [caseKey(composeCaseId(organizationCode, number))]
  }

  *#takeKeys(wait: WaitRow, keys: readonly string[]): Work<void> {
    for (const key of keys)
      yield* this.database.run(
        'INSERT INTO event_wait_keys (organization_id, key, wait_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
        wait.organizationRow,
        key,
        wait.id,
      )
  }

  *#changesAfter({ id, position }: WaitRow, limit: number): Work<NextEvents> {
    const rows = yield* this.database.all<{ position: number; at: number; change: string }>(
      'SELECT position, at, change FROM awaited_changes WHERE wait_id = ? AND position > ? ORDER BY position LIMIT ?',
      id,
      position,
      limit,
    )
    const events = rows.map((row) => ({
      position: row.position,
      at: row.at,
      content: { change: fromJson<RunTrigger>(row.change) },
    }))
    return { events, upTo: rows.at(-1)?.position ?? position, hasMore: rows.length === limit }
  }

  *#rowsAfter(
    wait: WaitRow,
    { types, provider }: AwaitedAlerts,
    limit: number,
  ): Work<readonly SizedAlertRow[]> {
    const ofTypes = types === null ? '1 = ?' : 't.type IN (SELECT value FROM json_each(?))'
    const given = [
      types === null ? 1 : JSON.stringify(types),
      wait.position,
      wait.organizationRow,
      wait.ownAlert,
      provider,
      provider === null ? null : foldAscii(provider),
      limit,
    ]
    const after = (part: string, organization: string) =>
      `SELECT * FROM (SELECT t.id FROM alerts t WHERE ${part} AND ${ofTypes} AND t.id > ? AND ${organization} = ?
         AND t.id IS DISTINCT FROM ? AND (CAST(? AS text) IS NULL OR t.provider_id = (SELECT id FROM providers WHERE lower(code) = ?))
       ORDER BY t.id LIMIT ?) AS part`
    // Two parts, because the newest rows are not in the index of types yet. Without the `+`, SQLite
    // reads all rows of the organization.
    const isNew = `t.id > (SELECT CAST(value AS bigint) FROM facts WHERE name = 'alerts_listed_to') AND t.listed = 0`
    const ids = yield* this.database.all<{ readonly id: number }>(
      `${after('t.listed = 1', 't.organization_id')} UNION ${after(isNew, '+t.organization_id')}
       ORDER BY id LIMIT ?`,
      ...given,
      ...given,
      limit,
    )
    return yield* this.database.all<SizedAlertRow>(
      `${selectSizedAlert} WHERE t.id IN (SELECT CAST(value AS bigint) FROM json_each(?)) ORDER BY t.id`,
      JSON.stringify(ids.map(({ id }) => id)),
    )
  }

  *#newest(): Work<number> {
    return (yield* this.database.one<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM alerts')).id
  }

  /** The alert of the run; if it has none, the last alert before the run was created. */
  *#startOf(runUuid: string): Work<number> {
    return (yield* this.database.one<{ id: number }>(
      `SELECT coalesce(r.alert_id, (SELECT coalesce(max(id), 0) FROM alerts WHERE created_at < r.created_at)) AS id
       FROM runs r WHERE r.uuid = ?`,
      runUuid,
    )).id
  }

  *#require(runUuid: string, path: string): Work<WaitRow> {
    return yield* this.database.one<WaitRow>(selectWait, runUuid, path)
  }
}

const filterOf = ({ filter }: WaitRow): EventFilter => fromJson<EventFilter>(filter)
