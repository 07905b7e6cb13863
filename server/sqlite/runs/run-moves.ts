import { alertStatus, type AlertStatus } from '../../../core/domain/alert.ts'
import { theRun } from '../../../core/domain/audit.ts'
import { composeAlertId, composeCaseId } from '../../../core/domain/ids.ts'
import { runStatusMoves, type NewRun, type Run, type RunEnd } from '../../../core/domain/run.ts'
import { ConflictError, NotFoundError } from '../../../core/errors/errors.ts'
import {
  alertStateOf,
  findAlertState,
  moveForbidden,
  requireMove,
  type AlertState,
} from '../alerts/alert-rows.ts'
import { recordRun } from './audit-run.ts'
import { noteEarlierActions } from '../cases/case-actions.ts'
import { insertEntry } from '../cases/case-entries.ts'
import { insertCase } from '../cases/case-rows.ts'
import { toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { requireOrganization, type OrganizationKey } from '../access/organization-store.ts'
import { copyJournal, copyPiece, isWhole, requireLast, requireWhole } from './reruns.ts'
import { requireRunRow, toListedRun, toRun, type RunRow } from './run-rows.ts'
import { settleFollowers } from '../alerts/settle-followers.ts'
import { maxWakeAt, turnHasCome, wakeRun } from './run-turns.ts'
import type { StoreContext } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'

/** Characters of an error that a case's timeline shows; the run has all of it. */
const maxShownError = 500

const dropped: RunEnd = {
  status: 'cancelled',
  output: null,
  error: {
    code: 'run_dropped',
    message: 'another run of the same concurrency key has not ended',
    hint: 'the playbook says `policy: drop`',
  },
}

/** Inside of a write, like all of these. `scheduleRow`: what starts it, so that its runs do not overlap. */
export function queueRun(context: StoreContext, given: NewRun, scheduleRow: number | null = null): Run {
  const { database, clock } = context
  const organization = requireOrganization(database, given.organizationUuid)
  const alert = given.alertUuid === null ? undefined : requireAlert(database, organization, given.alertUuid)
  const now = clock.now()
  const before = given.carriesOver && requireLast(database, organization, given.carriesOver.runUuid)
  if (alert !== undefined) submitAlert(database, alert, given, now)
  const key =
    given.concurrency && JSON.stringify([organization.id, given.playbookName, given.concurrency.key])
  const isDropped =
    key !== undefined &&
    given.concurrency?.policy === 'drop' &&
    isTaken(database, key, Number.MAX_SAFE_INTEGER)
  const uuid = makeUuid(now)
  const id = database.insert(
    `INSERT INTO runs (uuid, organization_id, playbook_name, playbook_hash, alert_id, status, created_at, wake_at, inputs,
       concurrency_key, schedule_id, case_id, retry_of, choice) VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?)`,
    uuid,
    organization.id,
    given.playbookName,
    given.playbookHash,
    alert?.id ?? null,
    now,
    turnHasCome,
    database.kept(toJson(given.inputs), given.isSensitive === true, `inputs ${uuid}`),
    key ?? null,
    scheduleRow,
    before?.caseRow ?? null,
    before?.id ?? null,
    given.choice ?? null,
  )
  if (before && given.carriesOver)
    copyJournal(database, before, id, { paths: given.carriesOver.paths, drops: isDropped })
  const isReady = before === undefined || isWhole(database, id)
  if (!isReady) database.run('UPDATE runs SET wake_at = ? WHERE id = ?', maxWakeAt, id)
  const row: RunRow = {
    id,
    uuid,
    organizationUuid: organization.uuid,
    organizationCode: organization.code,
    playbookName: given.playbookName,
    playbookHash: given.playbookHash,
    status: 'queued',
    createdAt: now,
    startedAt: null,
    endedAt: null,
    inputs: toJson(given.inputs),
    concurrencyKey: key ?? null,
    cancelledBy: null,
    cancelledAt: null,
    alertRow: alert?.id ?? null,
    sequence: alert?.sequence ?? null,
    provider: alert?.providerCode ?? null,
    caseRow: before?.caseRow ?? null,
    caseNumber: before?.caseNumber ?? null,
    retryOf: before?.uuid ?? null,
    retriedBy: null,
    prunedAt: null,
    output: null,
    error: null,
  }
  recordStart(context, row, given)
  return isDropped && isReady ? endRun(context, row, dropped) : toRun(row)
}

/** A run whose journal is copied in pieces. */
export interface CopiedOn {
  readonly isLeft: boolean
  /** It was dropped once all was copied. */
  readonly ended?: Run
}

/** Copies one more piece of the journal that the run goes on from; its turn comes with the last one. */
export function copyOn(context: StoreContext, id: number): CopiedOn {
  const { database } = context
  const piece = copyPiece(database, id)
  if (piece === undefined) return { isLeft: false }
  if (!isWhole(database, id)) return { isLeft: true }
  wakeRun(database, id)
  const run = requireRunRow(database, 'id', id)
  const isDropped = piece.drops && run.concurrencyKey !== null && isTaken(database, run.concurrencyKey, id)
  return { isLeft: false, ...(isDropped && { ended: endRun(context, run, dropped) }) }
}

function recordStart(context: StoreContext, run: RunRow, { by, carriesOver }: NewRun): void {
  if (by === undefined) return
  const details = { playbook_hash: run.playbookHash, alert: toListedRun(run).alertId }
  if (carriesOver === undefined) recordRun(context, 'run.started', run, by, details)
  else recordRun(context, 'run.retried', run, by, { ...details, retry_of: carriesOver.runUuid })
}

/** Undefined: it is put off until the one before it has ended. */
export function startRun(
  { database, clock }: StoreContext,
  run: RunRow,
  newCase: { readonly title: string },
): Run | undefined {
  if (run.status !== 'queued') {
    throw new ConflictError('run_not_queued', `the run ${run.uuid} is ${run.status}`)
  }
  requireWhole(database, run.id, run.retryOf)
  if (run.concurrencyKey !== null && isTaken(database, run.concurrencyKey, run.id)) {
    database.run('UPDATE runs SET wake_at = ? WHERE id = ?', maxWakeAt, run.id)
    return undefined
  }
  const now = clock.now()
  const alert = run.alertRow === null ? undefined : alertStateOf(database, run.alertRow)
  const known = caseOf(database, alert) ?? ownCase(run)
  const opened = known ?? (alert && openCase(database, run, newCase, now))
  if (alert !== undefined && opened !== undefined) beginAlert(database, run, alert, opened.row, now)
  database.run(
    `UPDATE runs SET status = 'running', started_at = ?, case_id = ?, wake_at = NULL WHERE id = ?`,
    now,
    opened?.row ?? null,
    run.id,
  )
  const caseId = opened === undefined ? null : composeCaseId(run.organizationCode, opened.number)
  return { ...toRun(run), status: 'running', startedAt: now, caseId }
}

/** For a run that did without one so far. */
export function openCaseOf(
  { database, clock }: StoreContext,
  run: RunRow,
  newCase: { readonly title: string },
): string {
  const known = ownCase(run)
  if (known !== undefined) return composeCaseId(run.organizationCode, known.number)
  if (run.status !== 'running' && run.status !== 'waiting')
    throw new ConflictError(
      'run_not_running',
      `the run ${run.uuid} is ${run.status}: no case is opened for it`,
    )
  const opened = openCase(database, run, newCase, clock.now())
  database.run('UPDATE runs SET case_id = ? WHERE id = ?', opened.row, run.id)
  noteEarlierActions({ database, clock }, run, opened.row)
  return composeCaseId(run.organizationCode, opened.number)
}

interface CaseKey {
  readonly row: number
  readonly number: number
}

function caseOf(database: Database, alert: AlertState | undefined): CaseKey | undefined {
  if (alert === undefined || alert.caseRow === null) return undefined
  return database.one<CaseKey>('SELECT id AS row, number FROM cases WHERE id = ?', alert.caseRow)
}

/** Of the run that it goes on from. */
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

/** Whether a run of the key that was queued before has not ended. */
function isTaken(database: Database, key: string, beforeRow: number): boolean {
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
  if (!runStatusMoves[run.status].includes(end.status)) {
    throw new ConflictError(
      'run_not_running',
      `the run ${run.uuid} is ${run.status} and cannot become ${end.status}`,
    )
  }
  requireWhole(database, run.id, run.retryOf)
  const now = clock.now()
  database.run(
    'UPDATE runs SET status = ?, ended_at = ?, output = ?, error = ? WHERE id = ?',
    end.status,
    now,
    database.kept(toJson(end.output), end.isSensitive === true, `output ${run.uuid}`),
    end.error === null ? null : toJson(end.error),
    run.id,
  )
  // A run that was given up never came to withdraw its questions: nobody waits for an answer any more.
  database.run(`UPDATE checkpoints SET state = 'withdrawn' WHERE run_id = ? AND state = 'waiting'`, run.id)
  if (run.alertRow !== null) endAlert(database, run.alertRow, end, now)
  if (run.caseRow !== null) {
    insertEntry(database, run.caseRow, {
      at: now,
      by: theRun(run.uuid, run.playbookName),
      kind: 'run_ended',
      changes: null,
      text: describeEnd(run, end),
    })
  }
  if (run.concurrencyKey !== null) wakeNextInLine(database, run.concurrencyKey)
  const { status, error } = end
  return { ...toListedRun(run), status, endedAt: now, output: end.output ?? null, error }
}

/** It was put off while the one that ends now had not ended. */
function wakeNextInLine(database: Database, key: string): void {
  const next = database.get<{ id: number }>(
    `SELECT id FROM runs WHERE concurrency_key = ? AND ended_at IS NULL AND status = 'queued' ORDER BY id LIMIT 1`,
    key,
  )
  if (next !== undefined) wakeRun(database, next.id)
}

function requireAlert(database: Database, organization: OrganizationKey, uuid: string): AlertState {
  const alert = findAlertState(database, uuid)
  if (alert?.organizationId === organization.id) return alert
  throw new NotFoundError('alert_not_found', `there is no alert ${uuid}`)
}

/**
 * A retry begins as the first time did: no completion time until it has completed. Only what says that it is one takes an alert
 * back from its end, so that two who take up the same alert never investigate it twice.
 */
function submitAlert(database: Database, alert: AlertState, run: NewRun, now: number): void {
  requireMove(alert, alertStatus.submitted)
  const retries = run.retry === true ? 1 : 0
  const isFirst = alert.status === alertStatus.created
  if (isFirst !== (retries === 0)) throw moveForbidden(alert, alertStatus.submitted)
  // Only one that was taken up before may follow another; a column that refers to a row costs as much as all the others.
  const stopsFollowing = isFirst ? '' : 'follows = NULL,'
  database.run(
    `UPDATE alerts SET status = ?, retry_count = retry_count + ?, investigator = ?, completed_at = NULL, ${stopsFollowing}
       modified_at = ? WHERE id = ?`,
    alertStatus.submitted,
    retries,
    run.playbookName,
    now,
    alert.id,
  )
}

function beginAlert(database: Database, run: RunRow, alert: AlertState, caseRow: number, now: number): void {
  requireMove(alert, alertStatus.inProgress)
  database.run(
    'UPDATE alerts SET status = ?, case_id = ?, modified_at = ? WHERE id = ?',
    alertStatus.inProgress,
    caseRow,
    now,
    alert.id,
  )
  const id = composeAlertId(run.organizationCode, alert.providerCode, alert.sequence)
  const text = `Alert ${id} is ${alert.retryCount === 0 ? '' : 'again '}investigated by ${run.playbookName}.`
  const { choice } = database.one<{ choice: string | null }>('SELECT choice FROM runs WHERE id = ?', run.id)
  for (const line of choice === null ? [text] : [text, choice]) {
    const by = theRun(run.uuid, run.playbookName)
    insertEntry(database, caseRow, { at: now, by, kind: 'alert', text: line, changes: null })
  }
}

/** A run that is cancelled before it started takes its alert through InProgress, since there is no other way to Failed. */
function endAlert(database: Database, alertRow: number, end: RunEnd, now: number): void {
  const alert = alertStateOf(database, alertRow)
  const goal = end.status === 'completed' ? alertStatus.completed : alertStatus.failed
  const stations: readonly AlertStatus[] =
    alert.status === alertStatus.submitted ? [alertStatus.inProgress, goal] : [goal]
  let status = alert.status
  for (const next of stations) {
    requireMove({ ...alert, status }, next)
    status = next
  }
  database.run(
    'UPDATE alerts SET status = ?, completed_at = ?, modified_at = ? WHERE id = ?',
    status,
    now,
    now,
    alert.id,
  )
  settleFollowers(database, alert.id, goal, now)
}

function describeEnd(run: RunRow, end: RunEnd): string {
  const name = `The run of ${run.playbookName}`
  if (end.status === 'completed') return `${name} completed.`
  if (end.status === 'cancelled') return `${name} was cancelled.`
  return end.error === null
    ? `${name} failed.`
    : `${name} failed: ${end.error.message.slice(0, maxShownError)}`
}
