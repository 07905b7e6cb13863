import { randomUUID } from 'node:crypto'
import QuickLRU from 'quick-lru'
import type { RunTurn } from '../../../core/ports/runs/turn.ts'
import type { RunKey } from '../../../core/ports/runs/run-store.ts'
import type { WantedEvents } from '../../../core/ports/runs/trigger-store.ts'
import type { WatchedShadow } from '../../../core/shadow/shadow-rules.ts'
import { SealedValues } from '../context/sealed-values.ts'
import type { SqlValue } from './columns.ts'
import { CountCache } from './count-cache.ts'
import { CursorSeal } from './cursor-seal.ts'
import { ReadCache, type CachedRows } from './read-cache.ts'
import type { SqlReader, Statement, Work } from './work.ts'

/** More than the number of runs with a turn. */
const maxRuns = 20_000

const nothingWanted: WantedEvents = {
  caseEvents: new Set(),
  runEvents: new Set(),
  questionDelays: new Set(),
  entities: false,
}

/** SQL that differs between the databases. */
export interface Dialect {
  /** Adds alerts to `alert_search`, which finds them by the words of the text. */
  indexAlerts(alerts: readonly { readonly id: number; readonly text: string }[]): readonly Statement[]
  /**
   * A condition on `alert_search s`: alerts that contain all words, in any order and case. A word with punctuation, such as an address,
   * matches its parts in sequence; a word that ends with `*` matches beginnings.
   */
  searchCondition(words: string): Statement
}

/**
 * What store functions work with: statements, and what this process knows besides. SQL texts are constants or from a finite set, since
 * prepared statements are kept.
 */
export abstract class Database implements SqlReader, CachedRows {
  /** Id of this process among the nodes; it owns the turns that it takes. */
  readonly node = randomUUID()
  /** Whether writes never overlap, whatever they exclude. */
  abstract readonly hasOneWriter: boolean
  abstract readonly dialect: Dialect
  readonly cache = new ReadCache(this)
  readonly counts = new CountCache()
  /** Organizations of runs, which never change, by uuid. */
  readonly organizationsOfRuns = new QuickLRU<string, string>({ maxSize: maxRuns })
  /** Keys of runs, which never change, by uuid. */
  readonly rowsOfRuns = new QuickLRU<string, number>({ maxSize: maxRuns })
  /** Keys of the organizations of reported rows, which never change, by kind and key. */
  readonly organizationsOfRows = new QuickLRU<string, number>({ maxSize: maxRuns })
  readonly cursors = new CursorSeal(this)
  /** Called, during the write, for each run that an event wakes. */
  onWoken: (run: RunKey) => void = () => {}
  /** The events that writes note for triggers: none until a server watches for them. */
  readonly triggers = { wanted: nothingWanted, onNoted: (): void => {} }
  /** Called in writes that may bring the next expiry of a containment forward. */
  readonly expiries = { onChanged: (): void => {} }
  /** The shadows that are judged on ended runs: none until a server watches for them. */
  readonly shadows = { watched: [] as readonly WatchedShadow[], onQueued: (): void => {} }
  /** Undefined: opened without the master key. */
  sealed: SealedValues | undefined

  abstract get<Row>(sql: string, ...values: SqlValue[]): Work<Row | undefined>
  abstract all<Row>(sql: string, ...values: SqlValue[]): Work<Row[]>
  /** Gives the number of changed rows. */
  abstract run(sql: string, ...values: SqlValue[]): Work<number>
  /** As `run`, without waiting for the answer. If the statement fails, the whole write fails; the work cannot catch the error. */
  abstract send(sql: string, ...values: SqlValue[]): Work<void>
  /** As `send`, of a statement that changes one row: without it, the write fails. */
  abstract change(sql: string, ...values: SqlValue[]): Work<void>
  /** An INSERT of one row. Gives its integer key. */
  abstract insert(sql: string, ...values: SqlValue[]): Work<number>
  /** The key for a new row, so that its INSERT is only sent. Undefined: an INSERT gives the key at once. */
  abstract nextKey(table: 'alerts'): Work<number | undefined>
  /** As `insert`, without waiting for the key; `onKey` is told it before the write ends. */
  abstract sendInsert(onKey: (key: number) => void, sql: string, ...values: SqlValue[]): Work<void>
  /** Of what `cache` holds. */
  abstract knownRevision(): number | undefined
  abstract revision(): Work<number | undefined>
  /** At the end of a write that changed what `cache` holds. */
  abstract configurationChanged(): Work<void>
  /** Reads a row without waiting for it. If `refuses` gives an error for it, the whole write fails with that; the work cannot catch it. */
  abstract check<Row>(
    refuses: (row: Row | undefined) => Error | undefined,
    sql: string,
    ...values: SqlValue[]
  ): Work<void>
  /** Inside of a write for the run: fails it with ConflictError `turn_lost` if the turn is over. The turn does not end before the write. */
  abstract requireTurn(turn: RunTurn): Work<void>
  /** Inside of a write that gives a run its next turn: whether writes for the run have ended. None begins before this one ends. */
  abstract excludeWritesFor(run: string): Work<boolean>
  /** Inside of a write that begins or gives up turns. */
  abstract forgetTurns(): void

  /** Inside of a write: until it ends, no other write holds the lock. */
  abstract lock(name: 'audit'): Work<void>

  /** Names of the triggers of the audit log that are missing or changed. */
  abstract unguardedAudit(): Work<readonly string[]>

  /** A row that must exist: its absence is a bug. */
  *one<Row>(sql: string, ...values: SqlValue[]): Work<Row> {
    const row = yield* this.get<Row>(sql, ...values)
    if (row === undefined) throw noRow(sql)
    return row
  }

  /** Encrypts text if it is sensitive. */
  kept(text: string | null, isSensitive: boolean, place: string): string | null {
    if (text === null || text === 'null' || (!isSensitive && !SealedValues.isSealed(text))) return text
    if (this.sealed === undefined) throw new Error('sensitive values need the master key')
    return this.sealed.seal(text, place)
  }
}

export const noRow = (sql: string): Error => new Error(`no row for: ${sql.trim().slice(0, 200)}`)
