import { theRun } from '../../../core/domain/audit.ts'
import { composeCaseId } from '../../../core/domain/ids.ts'
import type { RunRate } from '../../../core/common/rates.ts'
import type { Run, RunEnd } from '../../../core/domain/run.ts'
import type { NewRunCase } from '../../../core/ports/runs/run-store.ts'
import { beginAlert, endAlert, type AlertChanges } from '../../../core/transitions/alert.ts'
import { openQuestion } from '../../../core/transitions/question.ts'
import {
  droppedEnd,
  endedRun,
  newRunStatus,
  rateExceededEnd,
  requireMayOpenCase,
  requireQueued,
  startedRun,
  stateOfAbandonedQuestions,
} from '../../../core/transitions/run.ts'
import { investigationEntries, runEndedEntry } from '../../../core/transitions/timeline.ts'
import { alertStateOf, changeAlert, type AlertStateRow } from '../alerts/alert-rows.ts'
import { noteEarlierActions } from '../cases/case-actions.ts'
import { insertEntry } from '../cases/case-entries.ts'
import { endContainmentUndo, moveContainments } from '../containments/containment-rows.ts'
import { insertCase } from '../cases/case-rows.ts'
import { fromJson, toJson } from '../database/columns.ts'
import { forgetWaits } from '../events/wake-waits.ts'
import type { Database } from '../database/database.ts'
import { requireOrganization } from '../access/organization-store.ts'
import { copyPiece, isCopyComplete, requireCompleteCopy } from './reruns.ts'
import { changeRun, requireRunRow, toListedRun, toRun, type RunRow } from './run-rows.ts'
import { withdrawStarts, type SqliteRates } from '../limits/rates.ts'
import { queueShadows } from '../shadows/queue-shadows.ts'
import { settleFollowers } from '../alerts/settle-followers.ts'
import { maxWakeAt, wakeRun } from './run-turns.ts'
import type { StoreContext } from '../context/store-context.ts'

/**
 * Inside of a write, like all of these: the state of a run after the next piece of its journal was
 * copied.
 */
export interface CopiedOn {
  readonly isLeft: boolean
  /** The run was dropped after the last piece. */
  readonly ended?: Run
}

/** Copies the next piece of the journal of the retried run; the last piece makes the run due. */
export function copyOn(context: StoreContext, id: number): CopiedOn {
  const { database } = context
  const piece = copyPiece(database, id)
  if (piece === undefined) return { isLeft: false }
  if (!isCopyComplete(database, id)) return { isLeft: true }
  wakeRun(database, id)
  const run = requireRunRow(database, 'id', id)
  const drops = piece.drops && isTaken(database, run.concurrencyKey, id)
  return { isLeft: false, ...(drops && { ended: endRun(context, run, droppedEnd) }) }
}

/** Undefined: the run waits until the run before it has ended, or for the rate limit of its playbook. */
export function startRun(
  { database, clock }: StoreContext,
  run: RunRow,
  newCase: NewRunCase,
  rates: SqliteRates,
): Run | undefined {
  requireQueued(run)
  if (run.retryOf !== null) requireCompleteCopy(database, run.id)
  if (isTaken(database, run.concurrencyKey, run.id)) {
    changeRun(database, run.id, { wakeAt: maxWakeAt })
    return undefined
  }
  const now = clock.now()
  const rate = fromJson<RunRate>(run.rate)
  const waitMs = rate === null ? 0 : admitRun(rates, run, rate)
  if (rate !== null && waitMs > 0) {
    if (rate.policy === 'drop') return endRun({ database, clock }, run, rateExceededEnd(rate))
    changeRun(database, run.id, { wakeAt: now + waitMs })
    return undefined
  }
  const alert = run.alertRow === null ? undefined : alertStateOf(database, run.alertRow)
  let opened = caseOf(database, alert) ?? ownCase(run)
  if (alert !== undefined) {
    const { choice } = database.one<{ choice: string | null }>('SELECT choice FROM runs WHERE id = ?', run.id)
    opened ??= openCase(database, run, newCase, now)
    noteInvestigation(database, alert, run, { opened, changes: beginAlert(alert, now), choice }, now)
  }
  const changes = startedRun(run, now)
  changeRun(database, run.id, { ...changes, caseRow: opened?.row ?? null, wakeAt: null })
  const caseId = opened === undefined ? null : composeCaseId(run.organizationCode, opened.number)
  return { ...toRun(run), ...changes, caseId }
}

function admitRun(rates: SqliteRates, run: RunRow, { limit, key, policy }: RunRate): number {
  const start = { limit, key, playbook: run.playbookName, stepId: null }
  return rates.admit(run.id, '', start, policy === 'queue')
}

/** The alert is under investigation by a run that starts, in this case. */
export function noteInvestigation(
  database: Database,
  alert: AlertStateRow,
  run: StartingRun,
  { opened, changes, choice }: Investigation,
  now: number,
): void {
  changeAlert(database, alert.row, { ...changes, caseRow: opened.row })
  for (const entry of investigationEntries(run, alert, choice, now)) insertEntry(database, opened.row, entry)
}

type StartingRun = Pick<Run, 'uuid' | 'playbookName' | 'organizationUuid'>

interface Investigation {
  readonly opened: CaseKey
  readonly changes: AlertChanges
  /** See `NewRun.choice`. */
  readonly choice: string | null
}

/** For a run that has had no case so far. */
export function openCaseOf({ database, clock }: StoreContext, run: RunRow, newCase: NewRunCase): string {
  const known = ownCase(run)
  if (known !== undefined) return composeCaseId(run.organizationCode, known.number)
  requireMayOpenCase(run)
  const opened = openCase(database, run, newCase, clock.now())
  changeRun(database, run.id, { caseRow: opened.row })
  noteEarlierActions({ database, clock }, run, opened.row)
  moveContainments(database, [run.id], opened.row)
  return composeCaseId(run.organizationCode, opened.number)
}

export interface CaseKey {
  readonly row: number
  readonly number: number
}

export function caseOf(database: Database, alert: AlertStateRow | undefined): CaseKey | undefined {
  if (alert === undefined || alert.caseRow === null) return undefined
  return database.one<CaseKey>('SELECT id AS row, number FROM cases WHERE id = ?', alert.caseRow)
}

/** The case of the retried run. */
function ownCase({ caseRow, caseNumber }: RunRow): CaseKey | undefined {
  return caseRow === null || caseNumber === null ? undefined : { row: caseRow, number: caseNumber }
}

export function openCase(
  database: Database,
  run: StartingRun,
  { title }: { readonly title: string },
  now: number,
): CaseKey {
  const organization = requireOrganization(database, run.organizationUuid)
  return insertCase(database, organization, { title }, theRun(run.uuid, run.playbookName), now)
}

/** Whether an active run of the key was queued before. */
export function isTaken(database: Database, key: string | null, beforeRow: number): boolean {
  if (key === null) return false
  const found = database.get(
    'SELECT 1 FROM runs WHERE concurrency_key = ? AND ended_at IS NULL AND id < ? LIMIT 1',
    key,
    beforeRow,
  )
  return found !== undefined
}

export function endRun(
  { database, clock }: Pick<StoreContext, 'database' | 'clock'>,
  run: RunRow,
  end: RunEnd,
): Run {
  const now = clock.now()
  const changes = endedRun(run, end, now)
  if (run.retryOf !== null) requireCompleteCopy(database, run.id)
  changeRun(database, run.id, {
    ...changes,
    output: database.kept(toJson(end.output), end.isSensitive === true, `output ${run.uuid}`),
    error: changes.error === null ? null : toJson(changes.error),
  })
  withdrawQuestions(database, run.id)
  withdrawStarts(database, run.id)
  forgetWaits(database, run.id)
  endContainmentUndo({ database, clock }, run.uuid, end)
  if (run.alertRow !== null) endAlertOf(database, run.alertRow, end, now)
  if (run.caseRow !== null) insertEntry(database, run.caseRow, runEndedEntry(run, end, now))
  queueShadows(database, run, now)
  if (run.concurrencyKey !== null) wakeNextInLine(database, run.concurrencyKey)
  return { ...toListedRun(run), ...changes, output: end.output ?? null }
}

/** Most runs ask nothing, and an UPDATE without rows costs as much as one with rows. */
function withdrawQuestions(database: Database, run: number): void {
  if (database.get('SELECT 1 FROM checkpoints WHERE run_id = ? LIMIT 1', run) === undefined) return
  database.run(
    'UPDATE checkpoints SET state = ? WHERE run_id = ? AND state = ?',
    stateOfAbandonedQuestions,
    run,
    openQuestion,
  )
}

/** Wakes the next run with the same concurrency key, which waits until this run ends. */
function wakeNextInLine(database: Database, key: string): void {
  const next = database.get<{ id: number }>(
    `SELECT id FROM runs WHERE concurrency_key = ? AND ended_at IS NULL AND status = ? ORDER BY id LIMIT 1`,
    key,
    newRunStatus,
  )
  if (next !== undefined) wakeRun(database, next.id)
}

function endAlertOf(database: Database, alertRow: number, end: RunEnd, now: number): void {
  const changes = endAlert(alertStateOf(database, alertRow), end.status, now)
  changeAlert(database, alertRow, changes)
  settleFollowers(database, alertRow, changes.status, now)
}
