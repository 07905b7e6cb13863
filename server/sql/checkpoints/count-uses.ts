import type { Work } from '../database/work.ts'
import { approvalsFor } from '../../../core/destructive/approval-rules.ts'
import { theRun } from '../../../core/domain/audit.ts'
import type { HeldUses } from '../../../core/domain/destructive-use.ts'
import type { ReservedUses, UseChecks } from '../../../core/ports/runs/destructive-use-store.ts'
import { approvalEntry } from '../../../core/transitions/timeline.ts'
import { recordRun } from '../runs/audit-run.ts'
import { insertEntry } from '../cases/case-entries.ts'
import { toJson } from '../database/columns.ts'
import type { SqlDestructiveUseStore } from './destructive-uses.ts'
import { requireRunRow } from '../runs/run-rows.ts'
import type { StoreContext } from '../context/store-context.ts'

/** Maximum characters of an input in the audit log; the journal has the whole input. */
const maxShown = 4_000

export const auditText = (input: unknown): string => (toJson(input) ?? '').slice(0, maxShown)

interface Wanted extends Pick<ReservedUses, 'class' | 'skill' | 'paths'> {
  /** Redacted for the audit log. */
  readonly inputs: readonly unknown[]
  /** Undefined: nothing holds them back. */
  readonly checks: UseChecks | undefined
}

/**
 * Inside of a write: counts uses of a destructive skill. If they must wait for an approval, gives why, and records it in the audit log and
 * in the case of the run.
 */
export function* countUses(
  context: StoreContext,
  uses: SqlDestructiveUseStore,
  runRow: number,
  wanted: Wanted,
): Work<HeldUses | undefined> {
  const { skill, paths, inputs } = wanted
  const held = yield* uses.take({ run: runRow, ...wanted }, wanted.checks)
  if (held === undefined) return undefined
  const { database, clock } = context
  const run = yield* requireRunRow(database, 'id', runRow)
  const input = auditText(inputs.length === 1 ? inputs[0] : inputs)
  const { rule, isExceeded: _, ...counts } = held
  const approval = rule === null ? {} : { rule: rule.name ?? rule.place, approvals: approvalsFor(held) }
  const details = { skill, path: paths[0], ...counts, ...approval, input }
  yield* recordRun(context, 'skill.held', run, theRun(run.uuid, run.playbookName), details)
  if (run.caseRow !== null)
    yield* insertEntry(database, run.caseRow, approvalEntry(run, skill, held, clock.now()))
  return held
}
