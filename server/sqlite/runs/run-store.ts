import type { NewGroup } from '../../../core/domain/alert-group.ts'
import type { NewRun, Run, RunEnd, RunFilter } from '../../../core/domain/run.ts'
import { ConflictError, NotFoundError, UnavailableError } from '../../../core/errors/errors.ts'
import type {
  ListedRun,
  UnfinishedWork,
  ParkedRun,
  PlaybookResults,
  QueuedOrGrouped,
  ResultsRequest,
  RunKey,
  RunStore,
  SuspectRun,
  TakenRun,
} from '../../../core/ports/runs/run-store.ts'
import type { Page, PageRequest, Scope } from '../../../core/ports/common.ts'
import { authorOf, type Actor } from '../../../core/domain/audit.ts'
import { queueOrGroup } from '../alerts/alert-groups.ts'
import { recordRun } from './audit-run.ts'
import { toJson } from '../database/columns.ts'
import { listPage } from '../database/paging.ts'
import { playbookResults } from '../playbooks/playbook-results.ts'
import { claims } from '../database/request-claims.ts'
import { hasSuccessor, JournalNotWhole, unfinishedCopy } from './reruns.ts'
import { runConditions } from './run-conditions.ts'
import { countUnfinished } from './unfinished-work.ts'
import { copyOn, endRun, openCaseOf, queueRun, startRun } from './run-moves.ts'
import {
  requireRunRow,
  selectListedRun,
  selectRun,
  toListedRun,
  toRun,
  type ListedRunRow,
  type RunRow,
} from './run-rows.ts'
import {
  countQueuedRuns,
  dueRuns,
  parkedRuns,
  parkRun,
  recoverRuns,
  setAlone,
  suspectRuns,
  takeTurn,
  wakeRun,
} from './run-turns.ts'
import { isInScope, scopeConditions } from '../context/scope.ts'
import { hasUnsettled, settleLeftBehind } from '../alerts/settle-followers.ts'
import type { StoreContext } from '../context/store-context.ts'

const selectRequesters = `
  WITH RECURSIVE line (uuid, alert_id, retry_of) AS (
    SELECT uuid, alert_id, retry_of FROM runs WHERE uuid = ?
    UNION ALL SELECT r.uuid, r.alert_id, r.retry_of FROM runs r JOIN line ON r.id = line.retry_of
  )
  SELECT a.actor_id AS id FROM line CROSS JOIN audit a ON a.subject_id = line.uuid
    WHERE a.action IN ('run.started', 'run.retried') AND a.entry ->> '$.actor.kind' = 'api_key'
  UNION SELECT k.public_id FROM line JOIN alerts ON alerts.id = line.alert_id JOIN api_keys k ON k.uuid = alerts.created_by`

export class SqliteRunStore implements RunStore {
  readonly #context: StoreContext

  constructor(context: StoreContext) {
    this.#context = context
  }

  async queue(given: NewRun): Promise<Run> {
    const { database, commits } = this.#context
    let left: number | undefined
    const run = await commits.write(() => {
      const queued = queueRun(this.#context, given)
      left = given.carriesOver && unfinishedCopy(database, queued.uuid)
      return queued
    })
    if (left === undefined) return run
    try {
      return (await this.#copyRest(left)) ?? run
    } catch (error) {
      // The run is there: whoever starts it goes on with the copy.
      if (error instanceof UnavailableError) return run
      throw error
    }
  }

  /** Gives the run where it was dropped at the end. */
  async #copyRest(row: number): Promise<Run | undefined> {
    const { commits } = this.#context
    for (;;) {
      // A request is remembered with what it writes itself.
      const { isLeft, ended } = await claims.run(undefined, () =>
        commits.write(() => copyOn(this.#context, row)),
      )
      if (!isLeft) return ended
    }
  }

  /** Writes once the journal is whole that is copied for the run. */
  async #whole<T>(write: () => T): Promise<T> {
    for (;;) {
      try {
        return await this.#context.commits.write(write)
      } catch (error) {
        if (!(error instanceof JournalNotWhole)) throw error
        await this.#copyRest(error.run)
      }
    }
  }

  start(uuid: string, newCase: { readonly title: string }): Promise<Run | undefined> {
    const { database } = this.#context
    return this.#whole(() => startRun(this.#context, requireRunRow(database, 'uuid', uuid), newCase))
  }

  openCase(uuid: string, newCase: { readonly title: string }): Promise<string> {
    const { database, commits } = this.#context
    return commits.write(() => openCaseOf(this.#context, requireRunRow(database, 'uuid', uuid), newCase))
  }

  queueOrGroup(given: NewRun & { readonly alertUuid: string }, group: NewGroup): Promise<QueuedOrGrouped> {
    const { commits } = this.#context
    return commits.write(() => queueOrGroup(this.#context, given, group))
  }

  end(uuid: string, end: RunEnd): Promise<Run> {
    const { database } = this.#context
    return this.#ending(uuid, () => endRun(this.#context, requireRunRow(database, 'uuid', uuid), end))
  }

  /** A write that may end a run. Alerts that end with it are too many for one write, sometimes. */
  async #ending(uuid: string, write: () => Run): Promise<Run> {
    const { database, commits, clock } = this.#context
    let left = false
    const run = await this.#whole(() => {
      const written = write()
      left = written.endedAt !== null && hasUnsettled(database, uuid)
      return written
    })
    while (left) left = await commits.write(() => !settleLeftBehind(database, clock.now()))
    return run
  }

  cancel(scope: Scope, uuid: string, by: Actor): Promise<Run> {
    const { database, clock } = this.#context
    return this.#ending(uuid, () => {
      const run = requireRunRow(database, 'uuid', uuid.toLowerCase())
      if (!isInScope(scope, run.organizationUuid))
        throw new NotFoundError('run_not_found', `there is no run ${uuid}`)
      if (run.endedAt !== null) {
        throw new ConflictError('run_has_ended', `the run ${run.uuid} is ${run.status} already`)
      }
      const isNews =
        database.run(
          'UPDATE runs SET cancelled_by = ?, cancelled_at = ? WHERE id = ? AND cancelled_at IS NULL',
          toJson(authorOf(by)),
          clock.now(),
          run.id,
        ) === 1
      if (isNews) recordRun(this.#context, 'run.cancelled', run, by)
      const asked = requireRunRow(database, 'id', run.id)
      wakeRun(database, run.id)
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

  requesters(uuid: string): Promise<readonly string[]> {
    const { database } = this.#context
    return database.read(() => database.all<{ id: string }>(selectRequesters, uuid).map(({ id }) => id))
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

  resultsOf(scope: Scope, request: ResultsRequest): Promise<PlaybookResults> {
    const { database } = this.#context
    return database.read(() => playbookResults(database, scope, request))
  }

  isSuperseded(uuid: string): Promise<boolean> {
    const { database } = this.#context
    return database.read(() => hasSuccessor(database, uuid))
  }

  take(uuid: string): Promise<TakenRun | ParkedRun | undefined> {
    const { database, clock } = this.#context
    return this.#whole(() => {
      const turn = takeTurn(database, uuid, clock.now())
      if (turn === undefined) return undefined
      const run = toRun(requireRunRow(database, 'uuid', uuid))
      if (turn.wakeAt === undefined) return { run, convictions: turn.convictions }
      return { uuid: run.uuid, organizationUuid: run.organizationUuid, wakeAt: turn.wakeAt }
    })
  }

  park(uuid: string, wakeAt: number): Promise<boolean> {
    const { database, commits } = this.#context
    return commits.write(() => parkRun(database, uuid, wakeAt))
  }

  due(organizationUuid: string, limit: number): Promise<readonly RunKey[]> {
    const { database, clock } = this.#context
    return database.read(() => dueRuns(database, organizationUuid, clock.now(), limit))
  }

  parked(after: ParkedRun | undefined, limit: number): Promise<readonly ParkedRun[]> {
    const { database } = this.#context
    return database.read(() => parkedRuns(database, after, limit))
  }

  unfinishedWork(): Promise<UnfinishedWork> {
    const { database, clock } = this.#context
    return database.read(() => countUnfinished(database, clock.now()))
  }

  countQueued(): Promise<ReadonlyMap<string, number>> {
    const { database } = this.#context
    return database.read(() => countQueuedRuns(database))
  }

  async recover(): Promise<void> {
    const { database, commits, clock } = this.#context
    let left = await commits.write(() => {
      recoverRuns(database)
      return !settleLeftBehind(database, clock.now())
    })
    while (left) left = await commits.write(() => !settleLeftBehind(database, clock.now()))
  }

  suspects(): Promise<readonly SuspectRun[]> {
    const { database } = this.#context
    return database.read(() => suspectRuns(database))
  }

  setAlone(uuid: string, alone: boolean): Promise<void> {
    const { database, commits } = this.#context
    return commits.write(() => setAlone(database, uuid, alone))
  }

  setCrashes(uuid: string, from: number, to: number): Promise<void> {
    const { database, commits } = this.#context
    return commits.write(() => {
      database.run('UPDATE runs SET crashes = ? WHERE uuid = ? AND crashes = ?', to, uuid, from)
    })
  }

  forgetCrashes(): Promise<void> {
    const { database, commits } = this.#context
    return commits.write(() => {
      // What is cut off by a stop that was meant is left behind, which the next start counts as a crash.
      database.run(
        `UPDATE runs SET crashes = iif(wake_at IS NULL, -1, 0), convictions = 0
         WHERE ended_at IS NULL AND (crashes != 0 OR wake_at IS NULL)`,
      )
    })
  }
}

const cancelled: RunEnd = {
  status: 'cancelled',
  output: null,
  error: { code: 'run_cancelled', message: 'the run was cancelled' },
}
