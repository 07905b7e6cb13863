import { together, type Work } from '../database/work.ts'
import { authorOf, theRun, type Actor } from '../../../core/domain/audit.ts'
import { composeCaseId } from '../../../core/domain/ids.ts'
import type { RunRate } from '../../../core/common/rates.ts'
import type { Run, RunEnd } from '../../../core/domain/run.ts'
import type { NewRunCase } from '../../../core/ports/runs/run-store.ts'
import { beginAlert, endAlert, type AlertChanges } from '../../../core/transitions/alert.ts'
import { openQuestion } from '../../../core/transitions/question.ts'
import {
  droppedEnd,
  endOfCancelled,
  endedRun,
  newRunStatus,
  rateExceededEnd,
  requireMayOpenCase,
  requireQueued,
  startedRun,
  stateOfAbandonedQuestions,
} from '../../../core/transitions/run.ts'
import { recordRun } from './audit-run.ts'
import { investigationEntries, runEndedEntry } from '../../../core/transitions/timeline.ts'
import { alertStateOf, alertStateOfRun, changeAlert, type AlertStateRow } from '../alerts/alert-rows.ts'
import { noteEarlierActions } from '../cases/case-actions.ts'
import { insertEntry } from '../cases/case-entries.ts'
import { endContainmentUndo, moveContainments } from '../containments/containment-rows.ts'
import { insertCase } from '../cases/case-rows.ts'
import { fromJson, toJson } from '../database/columns.ts'
import { forgetWaits } from '../events/wake-waits.ts'
import type { Database } from '../database/database.ts'
import { requireOrganization } from '../access/organization-store.ts'
import { endedRunEvent } from '../../../core/transitions/trigger/run-events.ts'
import { noteRunEvent } from '../triggers/run-events.ts'
import { noteRunEnd } from '../notifications/note-work.ts'
import { copyPiece, isCopyComplete, requireCompleteCopy } from './reruns.ts'
import { changeRun, requireRunRow, toListedRun, toRun, type RunRow } from './run-rows.ts'
import { withdrawStarts, type SqlRates } from '../limits/rates.ts'
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
export function* copyOn(context: StoreContext, id: number): Work<CopiedOn> {
  const { database } = context
  const piece = yield* copyPiece(database, id)
  if (piece === undefined) return { isLeft: false }
  if (!(yield* isCopyComplete(database, id))) return { isLeft: true }
  yield* wakeRun(database, id)
  const run = yield* requireRunRow(database, 'id', id)
  const drops = piece.drops && (yield* isTaken(database, run.concurrencyKey, id))
  return { isLeft: false, ...(drops && { ended: yield* endRun(context, run, droppedEnd) }) }
}

/** Undefined: the run waits until the run before it has ended, or for the rate limit of its playbook. */
export function* startRun(
  { database, clock }: StoreContext,
  run: RunRow,
  newCase: NewRunCase,
  rates: SqlRates,
): Work<Run | undefined> {
  requireQueued(run)
  if (run.retryOf !== null) yield* requireCompleteCopy(database, run.id)
  if (yield* isTaken(database, run.concurrencyKey, run.id)) {
    yield* changeRun(database, run.id, { wakeAt: maxWakeAt, owner: null })
    return undefined
  }
  const now = clock.now()
  const rate = fromJson<RunRate>(run.rate)
  const waitMs = rate === null ? 0 : yield* admitRun(rates, run, rate)
  if (rate !== null && waitMs > 0) {
    if (rate.policy === 'drop') return yield* endRun({ database, clock }, run, rateExceededEnd(rate))
    yield* changeRun(database, run.id, { wakeAt: now + waitMs, owner: null })
    return undefined
  }
  const alert = run.alertRow === null ? undefined : yield* alertStateOf(database, run.alertRow)
  let opened = (yield* caseOf(database, alert)) ?? ownCase(run)
  if (alert !== undefined) {
    const { choice } = yield* database.one<{ choice: string | null }>(
      'SELECT choice FROM runs WHERE id = ?',
      run.id,
    )
    opened ??= yield* openCase(database, run, newCase, now)
    yield* noteInvestigation(database, alert, run, { opened, changes: beginAlert(alert, now), choice }, now)
  }
  const changes = startedRun(run, now)
  const taken = { wakeAt: null, owner: database.node }
  yield* changeRun(database, run.id, { ...changes, caseRow: opened?.row ?? null, ...taken })
  const caseId = opened === undefined ? null : composeCaseId(run.organizationCode, opened.number)
  return { ...toRun(run), ...changes, caseId }
}

function* admitRun(rates: SqlRates, run: RunRow, { limit, key, policy }: RunRate): Work<number> {
  const start = { limit, key, playbook: run.playbookName, stepId: null }
  return yield* rates.admit(run.id, '', start, policy === 'queue')
}

/** The alert is under investigation by a run that starts, in this case. */
export function* noteInvestigation(
  database: Database,
  alert: AlertStateRow,
  run: StartingRun,
  { opened, changes, choice }: Investigation,
  now: number,
): Work<void> {
  yield* changeAlert(database, alert.row, { ...changes, caseRow: opened.row })
  for (const entry of investigationEntries(run, alert, choice, now))
    yield* insertEntry(database, opened.row, entry)
}

type StartingRun = Pick<Run, 'uuid' | 'playbookName' | 'organizationUuid'>

interface Investigation {
  readonly opened: CaseKey
  readonly changes: AlertChanges
  /** See `NewRun.choice`. */
  readonly choice: string | null
}

/** For a run that has had no case so far. */
export function* openCaseOf(
  { database, clock }: StoreContext,
  run: RunRow,
  newCase: NewRunCase,
): Work<string> {
  const known = ownCase(run)
  if (known !== undefined) return composeCaseId(run.organizationCode, known.number)
  requireMayOpenCase(run)
  const opened = yield* openCase(database, run, newCase, clock.now())
  yield* changeRun(database, run.id, { caseRow: opened.row })
  yield* noteEarlierActions({ database, clock }, run, opened.row)
  yield* moveContainments(database, [run.id], opened.row)
  return composeCaseId(run.organizationCode, opened.number)
}

export interface CaseKey {
  readonly row: number
  readonly number: number
}

export function* caseOf(database: Database, alert: AlertStateRow | undefined): Work<CaseKey | undefined> {
  if (alert === undefined || alert.caseRow === null) return undefined
  return yield* database.one<CaseKey>('SELECT id AS row, number FROM cases WHERE id = ?', alert.caseRow)
}

/** The case of the retried run. */
function ownCase({ caseRow, caseNumber }: RunRow): CaseKey | undefined {
  return caseRow === null || caseNumber === null ? undefined : { row: caseRow, number: caseNumber }
}

export function* openCase(
  database: Database,
  run: StartingRun,
  { title }: { readonly title: string },
  now: number,
): Work<CaseKey> {
  const organization = yield* requireOrganization(database, run.organizationUuid)
  return yield* insertCase(database, organization, { title }, theRun(run.uuid, run.playbookName), now)
}

/** Whether an active run of the key was queued before. */
export function* isTaken(database: Database, key: string | null, beforeRow: number): Work<boolean> {
  if (key === null) return false
  const found = yield* database.get(
    'SELECT 1 FROM runs WHERE concurrency_key = ? AND ended_at IS NULL AND id < ? LIMIT 1',
    key,
    beforeRow,
  )
  return found !== undefined
}

export interface EndingOptions {
  /** What the write has read already. */
  readonly ending?: RunEnding
  /** Called if alerts still follow the alert of the run. */
  readonly onUnsettled?: () => void
}

export function* endRun(
  { database, clock }: Pick<StoreContext, 'database' | 'clock'>,
  run: RunRow,
  end: RunEnd,
  options: EndingOptions = {},
): Work<Run> {
  const now = clock.now()
  const changes = endedRun(run, end, now)
  if (run.retryOf !== null) yield* requireCompleteCopy(database, run.id)
  yield* changeRun(database, run.id, {
    ...changes,
    output: database.kept(toJson(end.output), end.isSensitive === true, `output ${run.uuid}`),
    error: changes.error === null ? null : toJson(changes.error),
  })
  const { left, alert } = options.ending ?? (yield* readEnding(database, run.uuid))
  if (left.questions) yield* withdrawQuestions(database, run.id)
  if (left.starts) yield* withdrawStarts(database, run.id)
  if (left.waits) yield* forgetWaits(database, run.id)
  if (left.undo) yield* endContainmentUndo({ database, clock }, run.uuid, end)
  if (alert !== undefined) {
    const changes = endAlert(alert, end.status, now)
    yield* changeAlert(database, alert.row, changes)
    const isSettled = !left.followers || (yield* settleFollowers(database, alert.row, changes.status, now))
    if (!isSettled) options.onUnsettled?.()
  }
  if (run.caseRow !== null) yield* insertEntry(database, run.caseRow, runEndedEntry(run, end, now))
  yield* queueShadows(database, run, now)
  yield* noteRunEnd(database, toListedRun(run), end, now)
  yield* noteRunEvent(database, endedRunEvent(end), run, now)
  if (run.concurrencyKey !== null) yield* wakeNextInLine(database, run.concurrencyKey)
  return { ...toListedRun(run), ...changes, output: end.output ?? null }
}

/** @param onUnsettled see `EndingOptions` */
export function* askToCancel(
  context: StoreContext,
  run: RunRow,
  by: Actor,
  onUnsettled: () => void,
): Work<Run> {
  const { database, clock } = context
  const end = endOfCancelled(run)
  const isNews =
    (yield* database.run(
      'UPDATE runs SET cancelled_by = ?, cancelled_at = ? WHERE id = ? AND cancelled_at IS NULL',
      toJson(authorOf(by)),
      clock.now(),
      run.id,
    )) === 1
  if (isNews) yield* recordRun(context, 'run.cancelled', run, by)
  const asked = yield* requireRunRow(database, 'id', run.id)
  yield* wakeRun(database, run.id)
  return end === undefined ? toRun(asked) : yield* endRun(context, asked, end, { onUnsettled })
}

/** What a run that ends may leave behind, in one question: most runs leave nothing, and an UPDATE without rows costs as much as one with rows. */
type Left = Readonly<Record<'questions' | 'starts' | 'waits' | 'undo' | 'followers', 0 | 1>>

const selectLeft = `
  SELECT EXISTS (SELECT 1 FROM checkpoints WHERE run_id = r.id) AS questions,
    EXISTS (SELECT 1 FROM rated_starts WHERE run_id = r.id AND waits = 1) AS starts,
    EXISTS (SELECT 1 FROM event_waits WHERE run_id = r.id) AS waits,
    EXISTS (SELECT 1 FROM containments WHERE undo_run_uuid = r.uuid) AS undo,
    EXISTS (SELECT 1 FROM alerts WHERE follows = r.alert_id) AS followers
  FROM runs r WHERE r.uuid = ?`

/** What the end of a run depends on. */
export interface RunEnding {
  readonly left: Left
  readonly alert: AlertStateRow | undefined
}

export function* readEnding(database: Database, runUuid: string): Work<RunEnding> {
  const [left, alert] = yield* together([
    database.one<Left>(selectLeft, runUuid),
    alertStateOfRun(database, runUuid),
  ])
  return { left, alert }
}

function* withdrawQuestions(database: Database, run: number): Work<void> {
  yield* database.run(
    'UPDATE checkpoints SET state = ? WHERE run_id = ? AND state = ?',
    stateOfAbandonedQuestions,
    run,
    openQuestion,
  )
}

/** Wakes the next run with the same concurrency key, which waits until this run ends. */
function* wakeNextInLine(database: Database, key: string): Work<void> {
  const next = yield* database.get<{ id: number }>(
    `SELECT id FROM runs WHERE concurrency_key = ? AND ended_at IS NULL AND status = ? ORDER BY id LIMIT 1`,
    key,
    newRunStatus,
  )
  if (next !== undefined) yield* wakeRun(database, next.id)
}
