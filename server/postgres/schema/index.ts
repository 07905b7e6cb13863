/**
 * The PostgreSQL schema, in the state of the SQLite schema after migration 34: the same names of tables, columns and indexes, so that both
 * run the same statements. `test/postgres/schema.test.ts` compares them.
 *
 * - Integers are bigint, also for booleans (0 or 1), times (epoch milliseconds) and int64. Keys are identities, which leave gaps and become
 *   visible out of order.
 * - `TEXT` stands for `text COLLATE "C"`, see `inByteOrder`: sorted and compared by bytes, and `lower()` folds ASCII letters only, as in
 *   SQLite, whatever the locale of the database.
 * - A text cannot hold U+0000, but titles, notes, names from vendors, alert contents and everything else that is not one checked line may.
 *   `toStored` and `fromStored` replace it in all parameters and results. JSON holds it as an escape, and must not become jsonb.
 * - Half of a surrogate pair becomes U+FFFD, as in SQLite. JSON holds it as an escape; request bodies with one are refused.
 * - Indexes that lists read end with `id`, as all indexes of SQLite do by themselves: without it, PostgreSQL sorts all rows of a value.
 * - Functions of SQLite that PostgreSQL lacks are in `functions.ts`.
 */

import { commitTable } from '../driver/commit-marks.ts'
import { accessDdl } from './access.ts'
import { alertDdl } from './alerts.ts'
import { auditDdl } from './audit.ts'
import { caseDdl } from './cases.ts'
import { checkpointDdl } from './checkpoints.ts'
import { connectionDdl } from './connections.ts'
import { eventDdl } from './events.ts'
import { functions } from './functions.ts'
import { numberDdl } from './numbers.ts'
import { observableDdl } from './observables.ts'
import { playbookDdl } from './playbooks.ts'
import { runDdl } from './runs.ts'
import { signInDdl } from './sign-ins.ts'

export { auditDdl } from './audit.ts'
export { fromStored, toStored } from './stored-text.ts'

/** Tables that SQLite has no need of. `tocsin_revision` counts changes of what nodes cache. */
const ownDdl = `
${commitTable}
CREATE TABLE tocsin_revision (
  id bigint PRIMARY KEY CHECK (id = 1),
  revision bigint NOT NULL
);
INSERT INTO tocsin_revision (id, revision) VALUES (1, 1);
`

/** The statements of an empty database. */
export const baseline = [
  functions,
  ownDdl,
  accessDdl,
  signInDdl,
  caseDdl,
  alertDdl,
  runDdl,
  checkpointDdl,
  connectionDdl,
  auditDdl,
  playbookDdl,
  eventDdl,
  observableDdl,
  numberDdl,
].join('\n')

/** The number of migrations of SQLite that the baseline contains. */
export const baselineVersion = 34

/** Gives each text column the collation by bytes. */
export const inByteOrder = (sql: string): string => sql.replaceAll(/\bTEXT\b/g, 'text COLLATE "C"')
