import { theRun } from '../../core/domain/audit.ts'
import type { HeldUse } from '../../core/domain/destructive-use.ts'
import type { JournalBegin } from '../../core/ports.ts'
import { recordRun } from './audit-run.ts'
import { insertEntry } from './case-entries.ts'
import { toJson } from './columns.ts'
import type { SqliteDestructiveUseStore } from './destructive-uses.ts'
import { requireRunRow } from './run-rows.ts'
import type { StoreContext } from './store-context.ts'

/** Characters of an input that the audit log shows; the journal has all of it. */
const maxShown = 4_000

export const auditText = (input: unknown): string => (toJson(input) ?? '').slice(0, maxShown)

/**
 * Inside of the write of an intent: counts the use of a destructive skill. Gives why it is held back, and says so in the audit log and in
 * the case of the run; undefined: it is not.
 */
export function takeUse(
  context: StoreContext,
  uses: SqliteDestructiveUseStore,
  runRow: number,
  { path, kind: skill, destructive }: JournalBegin,
): HeldUse | undefined {
  if (destructive === undefined) return undefined
  const held = uses.take({ run: runRow, path, skill }, destructive.limit)
  if (held === undefined) return undefined
  const { database, clock } = context
  const run = requireRunRow(database, 'id', runRow)
  const details = { skill, path, ...held, input: auditText(destructive.input) }
  recordRun(context, 'skill.held', run, theRun(run.uuid, run.playbookName), details)
  if (run.caseRow !== null) {
    const text = `${skill} waits for a person to approve it: it would be use ${held.uses + 1} within an hour.`
    insertEntry(database, run.caseRow, {
      at: clock.now(),
      by: theRun(run.uuid, run.playbookName),
      kind: 'note',
      text,
      changes: null,
    })
  }
  return held
}
