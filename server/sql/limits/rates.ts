import type { Told, Statement, Work } from '../database/work.ts'
import type { RatedStart } from '../../../core/common/rates.ts'
import { leavesWindow, planStart, type RateLine } from '../../../core/transitions/rate.ts'
import type { SqlValue } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { deleteExpired, expiringTables, makeRoom } from '../context/rows.ts'
import type { StoreContext } from '../context/store-context.ts'
import { WindowClock } from './window-clock.ts'

interface Known {
  readonly id: number
  readonly waits: 0 | 1
  readonly at: number
}

/** A waiting start never expires, regardless of the clock. */
const never = Number.MAX_SAFE_INTEGER

const sameLimit = 'organization_id = ? AND playbook_name = ? AND step_id = ? AND key = ?'

/** The rate limits of playbooks and steps, over all runs. All methods are called inside of a write. */
export class SqlRates {
  readonly #database: Database
  readonly #clock: WindowClock

  constructor({ database, clock }: Pick<StoreContext, 'database' | 'clock'>) {
    this.#database = database
    this.#clock = new WindowClock(clock, () => this.#newest())
  }

  /** See `JournalStore.admit`; the path of a run itself is empty. */
  *admit(
    run: number,
    path: string,
    { limit, playbook, stepId, key }: RatedStart,
    waits: boolean,
  ): Work<number> {
    const now = yield* this.#clock.now()
    const database = this.#database
    yield* makeRoom(database, expiringTables.ratedStarts, now)
    const { organization } = yield* database.one<{ organization: number }>(
      'SELECT organization_id AS organization FROM runs WHERE id = ?',
      run,
    )
    const names = [organization, playbook, stepId ?? '', key ?? ''] as const
    const known = yield* database.get<Known>(
      'SELECT id, waits, at FROM rated_starts WHERE run_id = ? AND path = ?',
      run,
      path,
    )
    const at = yield* planStart(limit, yield* this.#lineOf(names, known, limit, now), now)
    if (at > now && !waits) return at - now
    yield* database.run(
      `INSERT INTO rated_starts (run_id, path, organization_id, playbook_name, step_id, key, waits, at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (run_id, path) DO UPDATE SET waits = excluded.waits, at = excluded.at, expires_at = excluded.expires_at`,
      run,
      path,
      ...names,
      Number(at > now),
      at,
      at > now ? never : leavesWindow(at, limit),
    )
    return at - now
  }

  /** Gives up a place in line. */
  *withdraw(run: number, path: string): Work<void> {
    yield* this.#database.run(
      'DELETE FROM rated_starts WHERE run_id = ? AND path = ? AND waits = 1',
      run,
      path,
    )
  }

  /** Deletes starts that no limit counts any more, at most `atMost`. Gives their number. */
  *clearAway(atMost: number): Work<number> {
    return yield* deleteExpired(this.#database, expiringTables.ratedStarts, yield* this.#clock.now(), atMost)
  }

  /** The queue before one start, which is not included. Indexes bound every query by the limit. */
  *#lineOf(
    names: readonly SqlValue[],
    known: Known | undefined,
    limit: RatedStart['limit'],
    now: number,
  ): Work<RateLine<Statement, Told>> {
    const database = this.#database
    const id = known?.id ?? -1
    const before = known?.id ?? never
    const count = function* (where: string, ...values: readonly SqlValue[]): Work<number> {
      return (yield* database.one<{ count: number }>(
        `SELECT count(*) AS count FROM (SELECT 1 FROM rated_starts WHERE ${sameLimit} AND ${where} LIMIT ?) AS counted`,
        ...names,
        ...values,
        limit.requests,
      )).count
    }
    const timeOf = function* (
      where: string,
      back: number,
      ...values: readonly SqlValue[]
    ): Work<number | undefined> {
      return (yield* database.get<{ at: number }>(
        `SELECT at FROM rated_starts WHERE ${sameLimit} AND ${where} DESC LIMIT 1 OFFSET ?`,
        ...names,
        ...values,
        back,
      ))?.at
    }
    return {
      recent: yield* count('waits = 0 AND at > ? AND id <> ?', now - limit.perMs, id),
      ahead: yield* count('waits = 1 AND id < ?', before),
      plannedAt: known?.waits === 1 ? known.at : undefined,
      startedAt: (back) => timeOf('waits = 0 AND id <> ? ORDER BY at', back, id),
      waitsUntil: (back) => timeOf('waits = 1 AND id < ? ORDER BY id', back, before),
    }
  }

  *#newest(): Work<number> {
    return (yield* this.#database.one<{ newest: number }>(
      'SELECT coalesce(max(at), 0) AS newest FROM rated_starts WHERE waits = 0',
    )).newest
  }
}

/** Inside of a write: a run that ended waits for nothing. */
export function* withdrawStarts(database: Database, run: number): Work<void> {
  // Mostly there are none, and a DELETE without rows costs as much as one with rows.
  const found = yield* database.get('SELECT 1 FROM rated_starts WHERE run_id = ? AND waits = 1 LIMIT 1', run)
  if (found !== undefined) yield* database.run('DELETE FROM rated_starts WHERE run_id = ? AND waits = 1', run)
}
