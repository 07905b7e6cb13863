import { theRun } from '../../../core/domain/audit.ts'
import { composeCaseId } from '../../../core/domain/ids.ts'
import type { NewRun, Run, RunEnd } from '../../../core/domain/run.ts'
import { NotFoundError } from '../../../core/errors/errors.ts'
import { beginAlert, endAlert, submitAlert } from '../../../core/transitions/alert.ts'
import { openQuestion } from '../../../core/transitions/question.ts'
import {
  droppedEnd,
  endedRun,
  isDropped,
  newRunStatus,
  requireMayOpenCase,
  requireQueued,
  startedRun,
  stateOfAbandonedQuestions,
} from '../../../core/transitions/run.ts'
import { investigationEntries, runEndedEntry } from '../../../core/transitions/timeline.ts'
import { alertStateOf, changeAlert, findAlertState, type AlertStateRow } from '../alerts/alert-rows.ts'
import { recordRun } from './audit-run.ts'
import { noteEarlierActions } from '../cases/case-actions.ts'
import { insertEntry } from '../cases/case-entries.ts'
import { insertCase } from '../cases/case-rows.ts'
import { toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { requireOrganization, type OrganizationKey } from '../access/organization-store.ts'
import { copyJournal, copyPiece, isCopyComplete, requireLast, requireCompleteCopy } from './reruns.ts'
import { changeRun, insertRun, requireRunRow, toListedRun, toRun, type RunRow } from './run-rows.ts'
import { settleFollowers } from '../alerts/settle-followers.ts'
import { maxWakeAt, turnHasCome, wakeRun } from './run-turns.ts'
import type { StoreContext } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'

/** Inside of a write, like all of these. `scheduleRow`: the schedule that starts it, so that its runs do not overlap. */
export function queueRun(context: StoreContext, given: NewRun, scheduleRow: number | null = null): Run {
  const { database, clock } = context
  const organization = requireOrganization(database, given.organizationUuid)
  const alert = given.alertUuid === null ? undefined : requireAlert(database, organization, given.alertUuid)
  const now = clock.now()
  const before = given.carriesOver && requireLast(database, organization, given.carriesOver.runUuid)
  if (alert !== undefined) changeAlert(database, alert.row, submitAlert(alert, given, now))
  const concurrencyKey =
    given.concurrency === undefined
      ? null
      : JSON.stringify([organization.id, given.playbookName, given.concurrency.key])
  const drops = isDropped(given.concurrency, isTaken(database, concurrencyKey, Number.MAX_SAFE_INTEGER))
  const uuid = makeUuid(now)
  const id = insertRun(database, {
    uuid,
    organizationRow: organization.id,
    playbookName: given.playbookName,
    playbookHash: given.playbookHash,
    alertRow: alert?.row ?? null,
    status: newRunStatus,
    createdAt: now,
    wakeAt: turnHasCome,
    inputs: database.kept(toJson(given.inputs), given.isSensitive === true, `inputs ${uuid}`),
    concurrencyKey,
    scheduleId: scheduleRow,
    caseRow: before?.caseRow ?? null,
    retryOf: before?.id ?? null,
    choice: given.choice ?? null,
  })
  if (before && given.carriesOver)
    copyJournal(database, before, id, { paths: given.carriesOver.paths, drops })
  const isReady = before === undefined || isCopyComplete(database, id)
  if (!isReady) changeRun(database, id, { wakeAt: maxWakeAt })
  const row = requireRunRow(database, 'id', id)
  recordStart(context, row, given)
  return drops && isReady ? endRun(context, row, droppedEnd) : toRun(row)
}

/** A run whose journal is copied in pieces. */
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

function recordStart(context: StoreContext, run: RunRow, { by, carriesOver }: NewRun): void {
  if (by === undefined) return
  const details = { playbook_hash: run.playbookHash, alert: toListedRun(run).alertId }
  if (carriesOver === undefined) recordRun(context, 'run.started', run, by, details)
  else recordRun(context, 'run.retried', run, by, { ...details, retry_of: carriesOver.runUuid })
}

/** Undefined: the run waits until the run before it has ended. */
export function startRun(
  { database, clock }: StoreContext,
  run: RunRow,
  newCase: { readonly title: string },
): Run | undefined {
  requireQueued(run)
  if (run.retryOf !== null) requireCompleteCopy(database, run.id)
  if (isTaken(database, run.concurrencyKey, run.id)) {
    changeRun(database, run.id, { wakeAt: maxWakeAt })
    return undefined
  }
  const now = clock.now()
  const alert = run.alertRow === null ? undefined : alertStateOf(database, run.alertRow)
  const known = caseOf(database, alert) ?? ownCase(run)
  const opened = known ?? (alert && openCase(database, run, newCase, now))
  if (alert !== undefined && opened !== undefined) {
    changeAlert(database, alert.row, { ...beginAlert(alert, now), caseRow: opened.row })
    const { choice } = database.one<{ choice: string | null }>('SELECT choice FROM runs WHERE id = ?', run.id)
    for (const entry of investigationEntries(run, alert, choice, now))
      insertEntry(database, opened.row, entry)
  }
  const changes = startedRun(run, now)
  changeRun(database, run.id, { ...changes, caseRow: opened?.row ?? null, wakeAt: null })
  const caseId = opened === undefined ? null : composeCaseId(run.organizationCode, opened.number)
  return { ...toRun(run), ...changes, caseId }
}

/** For a run that has had no case so far. */
export function openCaseOf(
  { database, clock }: StoreContext,
  run: RunRow,
  newCase: { readonly title: string },
): string {
  const known = ownCase(run)
  if (known !== undefined) return composeCaseId(run.organizationCode, known.number)
  requireMayOpenCase(run)
  const opened = openCase(database, run, newCase, clock.now())
  changeRun(database, run.id, { caseRow: opened.row })
  noteEarlierActions({ database, clock }, run, opened.row)
  return composeCaseId(run.organizationCode, opened.number)
}

interface CaseKey {
  readonly row: number
  readonly number: number
}

function caseOf(database: Database, alert: AlertStateRow | undefined): CaseKey | undefined {
  if (alert === undefined || alert.caseRow === null) return undefined
  return database.one<CaseKey>('SELECT id AS row, number FROM cases WHERE id = ?', alert.caseRow)
}

/** The case of the retried run. */
function ownCase({ caseRow, caseNumber }: RunRow): CaseKey | undefined {
  return caseRow === null || caseNumber === null ? undefined : { row: caseRow, number: caseNumber }
}

function openCase(
  database: Database,
  run: RunRow,
  { title }: { readonly title: string },
  now: number,
): CaseKey {
  const organization = requireOrganization(database, run.organizationUuid)
  return insertCase(database, organization, { title }, theRun(run.uuid, run.playbookName), now)
}

/** Whether an active run of the key was queued before. */
function isTaken(database: Database, key: string | null, beforeRow: number): boolean {
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
  database.run(
    'UPDATE checkpoints SET state = ? WHERE run_id = ? AND state = ?',
    stateOfAbandonedQuestions,
    run.id,
    openQuestion,
  )
  if (run.alertRow !== null) endAlertOf(database, run.alertRow, end, now)
  if (run.caseRow !== null) insertEntry(database, run.caseRow, runEndedEntry(run, end, now))
  if (run.concurrencyKey !== null) wakeNextInLine(database, run.concurrencyKey)
  return { ...toListedRun(run), ...changes, output: end.output ?? null }
}

/** The next run of the key was put off until this one ends. */
function wakeNextInLine(database: Database, key: string): void {
  const next = database.get<{ id: number }>(
    `SELECT id FROM runs WHERE concurrency_key = ? AND ended_at IS NULL AND status = ? ORDER BY id LIMIT 1`,
    key,
    newRunStatus,
  )
  if (next !== undefined) wakeRun(database, next.id)
}

function requireAlert(database: Database, organization: OrganizationKey, uuid: string): AlertStateRow {
  const alert = findAlertState(database, uuid)
  if (alert?.organizationRow === organization.id) return alert
  throw new NotFoundError('alert_not_found', `there is no alert ${uuid}`)
}

function endAlertOf(database: Database, alertRow: number, end: RunEnd, now: number): void {
  const changes = endAlert(alertStateOf(database, alertRow), end.status, now)
  changeAlert(database, alertRow, changes)
  settleFollowers(database, alertRow, changes.status, now)
}
