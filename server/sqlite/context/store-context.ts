import type { Clock } from '../../../core/ports/clock.ts'
import type { Database } from '../database/database.ts'
import type { GroupCommit } from '../database/group-commit.ts'

/** What every store works with. Reads go to `database.read`, writes to `commits.write`. */
export interface StoreContext {
  readonly database: Database
  readonly commits: GroupCommit
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}

export abstract class SqliteStore {
  protected readonly context: StoreContext
  protected readonly database: Database
  protected readonly commits: GroupCommit
  protected readonly clock: StoreContext['clock']

  constructor(context: StoreContext) {
    this.context = context
    this.database = context.database
    this.commits = context.commits
    this.clock = context.clock
  }
}
