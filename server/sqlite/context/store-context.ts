import type { Clock } from '../../../core/ports/clock.ts'
import type { Database } from '../database/database.ts'
import type { GroupCommit } from '../database/group-commit.ts'

/** What every store works with. Reads go to `database.read`, writes to `commits.write`. */
export interface StoreContext {
  readonly database: Database
  readonly commits: GroupCommit
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}
