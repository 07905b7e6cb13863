import type { Work } from '../database/work.ts'
import { composeCaseId } from '../../../core/domain/ids.ts'
import type { NewRun, Run, RunTrigger } from '../../../core/domain/run.ts'
import type { NewRunCase } from '../../../core/ports/runs/run-store.ts'
import { beginAlert, submitAlert } from '../../../core/transitions/alert.ts'
import { droppedEnd, isDropped, newRunStatus, startedRun } from '../../../core/transitions/run.ts'
import { requireOrganization, type OrganizationKey } from '../access/organization-store.ts'
import { changeAlert, requireAlertState, type AlertStateRow } from '../alerts/alert-rows.ts'
import { correlate } from '../alerts/correlations.ts'
import { beginContainmentUndo } from '../containments/containment-rows.ts'
import { requireCaseRow } from '../cases/case-rows.ts'
import type { StoreContext } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'
import { fromJson, toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { recordRun } from './audit-run.ts'
import { ownProgram } from '../nodes/program-order.ts'
import { copyJournal, isCopyComplete, requireLast } from './reruns.ts'
import { changeRun, insertRun, requireRunRow, sendRun, toListedRun, toRun, type RunRow } from './run-rows.ts'
import { caseOf, endRun, isTaken, noteInvestigation, openCase, type CaseKey } from './run-transitions.ts'
import { maxWakeAt, alwaysDue } from './run-turns.ts'

export interface QueueRunOptions {
  /** The schedule that starts it, so that its runs do not overlap. */
  readonly scheduleRow?: number
  /** Its alert, if it was read already. */
  readonly alert?: AlertStateRow
  /** See `RunStore.queue`. */
  readonly begin?: NewRunCase | undefined
}

/** Inside of a write. */
export function* queueRun(context: StoreContext, given: NewRun, options: QueueRunOptions = {}): Work<Run> {
  const { database } = context
  const { id, run, drops } = yield* insertNew(context, given, options)
  const { carriesOver, undoes, expiredAt, organizationUuid } = given
  if (undoes !== undefined)
    yield* beginContainmentUndo(context, (yield* requireOrganization(database, organizationUuid)).id, {
      id: undoes,
      expiredAt,
      runUuid: run.uuid,
    })
  if (id === undefined) return run
  const isReady = carriesOver === undefined || (yield* isCopyComplete(database, id))
  if (!isReady) yield* changeRun(database, id, { wakeAt: maxWakeAt })
  const row = yield* requireRunRow(database, 'id', id)
  yield* recordStart(context, row, given)
  return drops && isReady ? yield* endRun(context, row, droppedEnd) : toRun(row)
}

/** A new run has none of this. */
const blank = {
  startedAt: null,
  endedAt: null,
  prunedAt: null,
  output: null,
  error: null,
  cancellation: null,
  retryOf: null,
  retriedBy: null,
}

interface Inserted {
  /** Undefined: nothing more is to be done for the run. */
  readonly id: number | undefined
  /** Without the carried-over entries. */
  readonly run: Run
  /** It ends at once: an earlier run of its concurrency key is active. */
  readonly drops: boolean
}

function* insertNew(
  { database, clock }: StoreContext,
  given: NewRun,
  options: QueueRunOptions,
): Work<Inserted> {
  const { organizationUuid, playbookName, playbookHash, carriesOver } = given
  const organization = yield* requireOrganization(database, organizationUuid)
  const found = options.alert ?? (yield* alertOf(database, organization, given))
  const before = carriesOver && (yield* requireLast(database, organization, carriesOver.runUuid))
  const now = clock.now()
  const concurrencyKey = keyOf(organization, given)
  const isHeld = yield* isTaken(database, concurrencyKey, Number.MAX_SAFE_INTEGER)
  const named = { uuid: makeUuid(now), organizationUuid, playbookName, playbookHash }
  const alert = found && (yield* correlated(database, organization, found, named, given, now))
  const mayBegin = !isHeld && before === undefined && given.rate === undefined
  const begun =
    alert && (yield* submit(database, alert, named, given, mayBegin ? options.begin : undefined, now))
  const queued = { uuid: named.uuid, status: newRunStatus }
  const { status, startedAt } = begun ? startedRun(queued, now) : { ...queued, startedAt: null }
  const joined = given.correlation && (yield* caseOf(database, alert))
  const opened = begun ?? joined ?? (yield* givenCase(database, given))
  const inputs = toJson(given.inputs)
  const drops = isDropped(given.concurrency, isHeld)
  const values = {
    uuid: named.uuid,
    organizationRow: organization.id,
    playbookName,
    playbookHash,
    alertRow: alert?.row ?? null,
    status,
    createdAt: now,
    startedAt,
    wakeAt: begun ? null : alwaysDue,
    owner: begun ? database.node : null,
    program: before ? yield* programOfRetry(database, before.id) : ownProgram,
    inputs: database.kept(inputs, given.isSensitive === true, `inputs ${named.uuid}`),
    concurrencyKey,
    rate: toJson(given.rate),
    scheduleId: options.scheduleRow ?? null,
    caseRow: opened?.row ?? before?.caseRow ?? null,
    ...(given.trigger && triggerColumns(database, named.uuid, given.trigger, given.isSensitive === true)),
    retryOf: before?.id ?? null,
    choice: given.choice ?? null,
  }
  const isComplete = before === undefined && given.by === undefined && !drops
  const id = isComplete ? yield* sendRun(database, values) : yield* insertRun(database, values)
  if (!database.hasOneWriter) database.organizationsOfRuns.set(named.uuid, organization.uuid)
  if (before && carriesOver && id !== undefined)
    yield* copyJournal(database, before, id, { paths: carriesOver.paths, drops })
  const run = {
    ...blank,
    ...named,
    status,
    createdAt: now,
    startedAt,
    alertId: alert?.id ?? null,
    caseId: opened ? composeCaseId(organization.code, opened.number) : null,
    ...(given.trigger && { trigger: given.trigger }),
    inputs: fromJson<Run['inputs']>(inputs) ?? {},
    exclusive: concurrencyKey !== null,
  }
  return { id, run, drops }
}

/** A retry continues a journal, maybe of a newer program. */
function* programOfRetry(database: Database, before: number): Work<string> {
  const { program } = yield* database.one<{ program: string }>(
    'SELECT program FROM runs WHERE id = ?',
    before,
  )
  return program > ownProgram ? program : ownProgram
}

const triggerColumns = (database: Database, uuid: string, trigger: RunTrigger, isSensitive: boolean) => ({
  triggerData: database.kept(toJson(trigger), isSensitive, `trigger ${uuid}`),
  triggerChain: toJson(trigger.chain),
})

/** The case of a queued run, or the case into which that was merged. */
function* givenCase(database: Database, { caseId, organizationUuid }: NewRun): Work<CaseKey | undefined> {
  if (caseId === undefined) return undefined
  const {
    id: row,
    number,
    mergedRow,
    mergedNumber,
  } = yield* requireCaseRow(database, organizationUuid, caseId)
  return { row: mergedRow ?? row, number: mergedNumber ?? number }
}

function* alertOf(
  database: Database,
  { id }: OrganizationKey,
  { alertUuid }: NewRun,
): Work<AlertStateRow | undefined> {
  return alertUuid === null ? undefined : yield* requireAlertState(database, id, alertUuid)
}

/** The alert, with its case if a rule of its playbook relates it to others. An alert keeps the case that it has. */
function* correlated(
  database: Database,
  organization: OrganizationKey,
  alert: AlertStateRow,
  run: Pick<Run, 'uuid' | 'playbookName' | 'organizationUuid'>,
  { correlation }: NewRun,
  now: number,
): Work<AlertStateRow> {
  if (correlation === undefined || alert.caseRow !== null) return alert
  return yield* correlate(database, organization, alert, run, correlation, now)
}

const keyOf = ({ id }: OrganizationKey, { concurrency, playbookName }: NewRun): string | null =>
  concurrency === undefined ? null : JSON.stringify([id, playbookName, concurrency.key])

/** The alert becomes Submitted; InProgress if its run begins at once. Gives the case of that run. */
function* submit(
  database: Database,
  alert: AlertStateRow,
  run: Pick<Run, 'uuid' | 'playbookName' | 'organizationUuid'>,
  given: NewRun,
  newCase: NewRunCase | undefined,
  now: number,
): Work<CaseKey | undefined> {
  const submitted = submitAlert(alert, given, now)
  if (newCase === undefined) {
    yield* changeAlert(database, alert.row, submitted)
    return undefined
  }
  const state = { ...alert, ...submitted }
  const opened = (yield* caseOf(database, alert)) ?? (yield* openCase(database, run, newCase, now))
  const changes = { ...submitted, ...beginAlert(state, now) }
  yield* noteInvestigation(database, state, run, { opened, changes, choice: given.choice ?? null }, now)
  return opened
}

function* recordStart(context: StoreContext, run: RunRow, { by, carriesOver, undoes }: NewRun): Work<void> {
  if (by === undefined) return
  const details = {
    playbook_hash: run.playbookHash,
    alert: toListedRun(run).alertId,
    ...(undoes !== undefined && { undoes }),
  }
  if (carriesOver === undefined) yield* recordRun(context, 'run.started', run, by, details)
  else yield* recordRun(context, 'run.retried', run, by, { ...details, retry_of: carriesOver.runUuid })
}
