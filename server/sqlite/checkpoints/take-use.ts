import { theRun } from '../../../core/domain/audit.ts'
import { heldNote } from '../../../core/destructive/policy.ts'
import type { DestructiveLimits, HeldUse } from '../../../core/domain/destructive-use.ts'
import type { ReservedUses } from '../../../core/ports/runs/destructive-use-store.ts'
import { recordRun } from '../runs/audit-run.ts'
import { insertEntry } from '../cases/case-entries.ts'
import { toJson } from '../database/columns.ts'
import type { SqliteDestructiveUseStore } from './destructive-uses.ts'
import { requireRunRow } from '../runs/run-rows.ts'
import type { StoreContext } from '../context/store-context.ts'

/** Characters of an input that the audit log shows; the journal has all of it. */
const maxShown = 4_000

export const auditText = (input: unknown): string => (toJson(input) ?? '').slice(0, maxShown)

interface Wanted extends Pick<ReservedUses, 'class' | 'skill' | 'paths'> {
  /** As they may be shown in the audit log. */
  readonly inputs: readonly unknown[]
  /** Undefined: nothing is held back. */
  readonly limits: DestructiveLimits | undefined
}

/**
 * Inside of a write: counts uses of a destructive skill. Gives why they are held back, and says so in the audit log and in the case of the
 * run; undefined: they are not.
 */
export function takeUses(
  context: StoreContext,
  uses: SqliteDestructiveUseStore,
  runRow: number,
  wanted: Wanted,
): HeldUse | undefined {
  const { skill, paths, inputs } = wanted
  const held = uses.take({ run: runRow, ...wanted }, wanted.limits)
  if (held === undefined) return undefined
  const { database, clock } = context
  const run = requireRunRow(database, 'id', runRow)
  const input = auditText(inputs.length === 1 ? inputs[0] : inputs)
  const details = { skill, path: paths[0], ...held, input }
  recordRun(context, 'skill.held', run, theRun(run.uuid, run.playbookName), details)
  if (run.caseRow !== null) {
    insertEntry(database, run.caseRow, {
      at: clock.now(),
      by: theRun(run.uuid, run.playbookName),
      kind: 'note',
      text: heldNote(skill, held),
      changes: null,
    })
  }
  return held
}
