import type { Clock } from '../../../core/ports/clock.ts'
import { turnOf, type RunTurn } from '../../../core/ports/runs/turn.ts'
import type { Database } from '../database/database.ts'
import type { Transactions, Work, WriteScope } from '../database/work.ts'

/** What every store works with. */
export interface StoreContext {
  readonly database: Database
  readonly transactions: Transactions
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}

/**
 * Works are generators, which cannot be arrow functions: those of the methods below are called with the store as `this`. A generator function
 * that is made for a call costs 1.5 µs; works of each alert and each step are methods instead.
 */
export abstract class SqlStore {
  protected readonly context: StoreContext
  protected readonly database: Database
  protected readonly clock: StoreContext['clock']

  constructor(context: StoreContext) {
    this.context = context
    this.database = context.database
    this.clock = context.clock
  }

  protected read<T>(work: (this: this) => Work<T>): Promise<T> {
    return this.context.transactions.read(() => work.call(this))
  }

  /** A write that overlaps with no other. */
  protected write<T>(work: (this: this) => Work<T>): Promise<T> {
    return this.writeIn('all', work)
  }

  protected writeIn<T>(scope: WriteScope, work: (this: this) => Work<T>): Promise<T> {
    return this.context.transactions.write(() => work.call(this), scope)
  }

  /** A write that changes what `Database.cache` holds: organizations, providers, keys, connections. */
  protected writeConfiguration<T>(work: (this: this) => Work<T>): Promise<T> {
    return this.write(() => this.#configuring(work))
  }

  *#configuring<T>(work: (this: this) => Work<T>): Work<T> {
    const result = yield* work.call(this)
    yield* this.database.configurationChanged()
    return result
  }

  /** A write for a run, as `fenced`. */
  protected writeFor<T>(run: string, work: (this: this) => Work<T>): Promise<T> {
    return this.writeIn({ run }, this.fenced(run, work))
  }

  /** As `writeFor`, of a work that concerns more of its organization than the run. */
  protected writeAround<T>(run: string, work: (this: this) => Work<T>): Promise<T> {
    const fenced = this.fenced(run, work)
    return this.database.hasOneWriter
      ? this.write(fenced)
      : this.scopeAround(run).then((scope) => this.writeIn(scope, fenced))
  }

  protected async scopeAround(run: string): Promise<WriteScope> {
    const known = this.database.organizationsOfRuns.get(run)
    if (known !== undefined) return { organization: known }
    const found = await this.read(() =>
      this.database.get<{ uuid: string }>(
        'SELECT o.uuid FROM runs r JOIN organizations o ON o.id = r.organization_id WHERE r.uuid = ?',
        run,
      ),
    )
    if (found === undefined) return 'all'
    this.database.organizationsOfRuns.set(run, found.uuid)
    return { organization: found.uuid }
  }

  /** `work` of the current turn of a run: it throws ConflictError `turn_lost` if that is over when the write happens (see `duringTurn`). */
  protected fenced<T>(run: string, work: (this: this) => Work<T>): (this: this) => Work<T> {
    const turn = turnOf(run)
    return turn === undefined ? work : () => this.#inTurn(turn, work)
  }

  *#inTurn<T>(turn: RunTurn, work: (this: this) => Work<T>): Work<T> {
    yield* this.database.requireTurn(turn)
    return yield* work.call(this)
  }
}
