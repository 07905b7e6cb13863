import { alertStatus, type AlertStatus } from '../../core/domain/alert.ts'
import { composeAlertId } from '../../core/domain/ids.ts'
import { runStatusMoves, type NewRun, type Run, type RunEnd, type RunFilter } from '../../core/domain/run.ts'
import { ConflictError, NotFoundError } from '../../core/errors/errors.ts'
import type { ListedRun, Page, PageRequest, RunStore, Scope } from '../../core/ports.ts'
import { alertStateOf, findAlertState, moveForbidden, requireMove, type AlertState } from './alert-rows.ts'
import { insertCase, insertEntry } from './case-rows.ts'
import { toJson } from './columns.ts'
import type { Database } from './database.ts'
import { requireOrganization, type OrganizationKey } from './organization-store.ts'
import { listPage } from './paging.ts'
import { copyJournal, requireLast } from './reruns.ts'
import { runConditions } from './run-conditions.ts'
import {
  requireRunRow,
  selectListedRun,
  selectRun,
  toListedRun,
  toRun,
  type ListedRunRow,
  type RunRow,
} from './run-rows.ts'
import { isInScope, scopeConditions } from './scope.ts'
import type { StoreContext } from './store-context.ts'
import { makeUuid } from './uuid.ts'

/** Characters of an error that a case's timeline shows; the run has all of it. */
const maxShownError = 500

export class SqliteRunStore implements RunStore {
  readonly #context: StoreContext

  constructor(context: StoreContext) {
    this.#context = context
  }

  queue(given: NewRun): Promise<Run> {
    const { commits } = this.#context
    return commits.write(() => queueRun(this.#context, given))
  }

  start(uuid: string, newCase: { readonly title: string }): Promise<Run> {
    const { database, commits, clock } = this.#context
    return commits.write(() => {
      const run = requireRunRow(database, 'uuid', uuid)
      if (run.status !== 'queued') {
        throw new ConflictError('run_not_queued', `the run ${uuid} is ${run.status}`)
      }
      requireTurn(database, run)
      const now = clock.now()
      const alert = run.alertRow === null ? undefined : alertStateOf(database, run.alertRow)
      const caseRow = alert?.caseRow ?? run.caseRow ?? this.#openCase(run, newCase, now)
      if (alert !== undefined) beginAlert(database, run, alert, caseRow, now)
      database.run(
        `UPDATE runs SET status = 'running', started_at = ?, case_id = ? WHERE id = ?`,
        now,
        caseRow,
        run.id,
      )
      return toRun(requireRunRow(database, 'id', run.id))
    })
  }

  end(uuid: string, end: RunEnd): Promise<Run> {
    const { database, commits } = this.#context
    return commits.write(() => endRun(this.#context, requireRunRow(database, 'uuid', uuid), end))
  }

  cancel(scope: Scope, uuid: string, by: string): Promise<Run> {
    const { database, commits, clock } = this.#context
    return commits.write(() => {
      const run = requireRunRow(database, 'uuid', uuid.toLowerCase())
      if (!isInScope(scope, run.organizationUuid))
        throw new NotFoundError('run_not_found', `there is no run ${uuid}`)
      if (run.endedAt !== null) {
        throw new ConflictError('run_has_ended', `the run ${run.uuid} is ${run.status} already`)
      }
      database.run(
        'UPDATE runs SET cancelled_by = ?, cancelled_at = ? WHERE id = ? AND cancelled_at IS NULL',
        by,
        clock.now(),
        run.id,
      )
      const asked = requireRunRow(database, 'id', run.id)
      return run.status === 'queued' ? endRun(this.#context, asked, cancelled) : toRun(asked)
    })
  }

  nextInLine(uuid: string): Promise<Run | undefined> {
    const { database } = this.#context
    return database.read(() => {
      const row = database.get<RunRow>(
        `${selectRun} WHERE t.concurrency_key = (SELECT concurrency_key FROM runs WHERE uuid = ?)
           AND t.ended_at IS NULL AND t.status = 'queued' ORDER BY t.id LIMIT 1`,
        uuid,
      )
      return row && toRun(row)
    })
  }

  find(scope: Scope, uuid: string): Promise<Run | undefined> {
    const { database } = this.#context
    return database.read(() => {
      const row = database.get<RunRow>(`${selectRun} WHERE t.uuid = ?`, uuid.toLowerCase())
      return row && isInScope(scope, row.organizationUuid) ? toRun(row) : undefined
    })
  }

  list(scope: Scope, filter: RunFilter, page: PageRequest): Promise<Page<ListedRun>> {
    const { database } = this.#context
    return database.read(() => {
      const conditions = [...scopeConditions(scope, 't.organization_id'), ...runConditions(database, filter)]
      return listPage<ListedRunRow, ListedRun>(database, {
        name: 'runs',
        table: 'runs t',
        select: selectListedRun,
        conditions,
        page,
        toItem: toListedRun,
      })
    })
  }

  unfinished(): Promise<readonly Run[]> {
    const { database } = this.#context
    return database.read(() =>
      database
        .all<RunRow>(`${selectRun} WHERE t.status IN ('queued', 'running', 'waiting') ORDER BY t.id`)
        .map(toRun),
    )
  }

  #openCase(run: RunRow, { title }: { readonly title: string }, now: number): number {
    const { database } = this.#context
    const organization = requireOrganization(database, run.organizationUuid)
    return insertCase(database, organization, { title }, `run ${run.uuid}`, now)
  }
}

const cancelled: RunEnd = {
  status: 'cancelled',
  output: null,
  error: { code: 'run_cancelled', message: 'the run was cancelled' },
}

const dropped: RunEnd = {
  status: 'cancelled',
  output: null,
  error: {
    code: 'run_dropped',
    message: 'another run of the same concurrency key has not ended',
    hint: 'the playbook says `policy: drop`',
  },
}

/** Inside of a write. `scheduleRow`: what starts it, so that its runs do not overlap. */
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
  const row = database.insert(
    `INSERT INTO runs (uuid, organization_id, playbook_name, playbook_hash, alert_id, status, created_at, inputs,
       concurrency_key, schedule_id, case_id, retry_of) VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?)`,
    makeUuid(now),
    organization.id,
    given.playbookName,
    given.playbookHash,
    alert?.id ?? null,
    now,
    toJson(given.inputs),
    key ?? null,
    scheduleRow,
    before?.caseRow ?? null,
    before?.id ?? null,
  )
  if (before && given.carriesOver) copyJournal(database, before, row, given.carriesOver.paths)
  const run = requireRunRow(database, 'id', row)
  return isDropped ? endRun(context, run, dropped) : toRun(run)
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

function requireTurn(database: Database, run: RunRow): void {
  if (run.concurrencyKey === null || !isTaken(database, run.concurrencyKey, run.id)) return
  throw new ConflictError('run_must_wait', `an earlier run of the same concurrency key has not ended`)
}

/** Inside of a write. */
function endRun({ database, clock }: StoreContext, run: RunRow, end: RunEnd): Run {
  if (!runStatusMoves[run.status].includes(end.status)) {
    throw new ConflictError(
      'run_not_running',
      `the run ${run.uuid} is ${run.status} and cannot become ${end.status}`,
    )
  }
  const now = clock.now()
  database.run(
    'UPDATE runs SET status = ?, ended_at = ?, output = ?, error = ? WHERE id = ?',
    end.status,
    now,
    toJson(end.output),
    end.error === null ? null : toJson(end.error),
    run.id,
  )
  // A run that was given up never came to withdraw its questions: nobody waits for an answer any more.
  database.run(`UPDATE checkpoints SET state = 'withdrawn' WHERE run_id = ? AND state = 'waiting'`, run.id)
  if (run.alertRow !== null) endAlert(database, run.alertRow, end, now)
  if (run.caseRow !== null) {
    insertEntry(database, run.caseRow, {
      at: now,
      by: `run ${run.uuid}`,
      kind: 'run_ended',
      changes: null,
      text: describeEnd(run, end),
    })
  }
  return toRun(requireRunRow(database, 'id', run.id))
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
  database.run(
    `UPDATE alerts SET status = ?, retry_count = retry_count + ?, investigator = ?, completed_at = NULL,
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
  const text = `Alert ${id} is ${alert.caseRow === null ? '' : 'again '}investigated by ${run.playbookName}.`
  insertEntry(database, caseRow, { at: now, by: `run ${run.uuid}`, kind: 'alert', text, changes: null })
}

/** A run that is cancelled before it started takes its alert through InProgress, since there is no other way to Failed. */
function endAlert(database: Database, alertRow: number, end: RunEnd, now: number): void {
  const alert = alertStateOf(database, alertRow)
  const goal: AlertStatus = end.status === 'completed' ? alertStatus.completed : alertStatus.failed
  const stations = alert.status === alertStatus.submitted ? [alertStatus.inProgress, goal] : [goal]
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
}

function describeEnd(run: RunRow, end: RunEnd): string {
  const name = `The run of ${run.playbookName}`
  if (end.status === 'completed') return `${name} completed.`
  if (end.status === 'cancelled') return `${name} was cancelled.`
  return end.error === null
    ? `${name} failed.`
    : `${name} failed: ${end.error.message.slice(0, maxShownError)}`
}
