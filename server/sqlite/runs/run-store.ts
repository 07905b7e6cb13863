import type { NewGroup } from '../../../core/domain/alert-group.ts'
import type { NewRun, Run, RunEnd, RunFilter } from '../../../core/domain/run.ts'
import { NotFoundError, UnavailableError } from '../../../core/errors/errors.ts'
import type {
  ListedRun,
  NewRunCase,
  UnfinishedWork,
  ParkedRun,
  PlaybookResults,
  QueuedOrGrouped,
  ResultsRequest,
  RunKey,
  RunStore,
  SuspectRun,
  ClaimedRun,
} from '../../../core/ports/runs/run-store.ts'
import type { ListPage, ListRequest, OrganizationScope } from '../../../core/ports/common.ts'
import { authorOf, type Actor } from '../../../core/domain/audit.ts'
import { endOfCancelled, newRunStatus } from '../../../core/transitions/run.ts'
import { queueOrGroup } from '../alerts/alert-groups.ts'
import { recordRun } from './audit-run.ts'
import { toJson } from '../database/columns.ts'
import { playbookResults } from '../playbooks/playbook-results.ts'
import { claims } from '../database/request-claims.ts'
import { hasSuccessor, IncompleteJournalError, requestersOf, unfinishedCopy } from './reruns.ts'
import { countUnfinished } from './unfinished-work.ts'
import { queueRun } from './queue-run.ts'
import { copyOn, endRun, openCaseOf, startRun } from './run-transitions.ts'
import { listRuns } from './list-runs.ts'
import { requireRunRow, selectRun, toRun, type RunRow } from './run-rows.ts'
import {
  active,
  countQueuedRuns,
  dueRuns,
  heldUntil,
  parkedRuns,
  parkRun,
  recoverRuns,
  setAlone,
  suspectRuns,
  takeTurn,
  wakeRun,
} from './run-turns.ts'
import { isInScope } from '../../../core/common/scope.ts'
import { hasUnsettled, settleLeftBehind } from '../alerts/settle-followers.ts'
import type { SqliteRates } from '../limits/rates.ts'
import { SqliteStore, type StoreContext } from '../context/store-context.ts'

export class SqliteRunStore extends SqliteStore implements RunStore {
  readonly #rates: SqliteRates

  constructor(context: StoreContext, rates: SqliteRates) {
    super(context)
    this.#rates = rates
  }

  async queue(given: NewRun, begin?: NewRunCase): Promise<Run> {
    let left: number | undefined
    const run = await this.commits.write(() => {
      const queued = queueRun(this.context, given, { begin })
      left = given.carriesOver && unfinishedCopy(this.database, queued.uuid)
      return queued
    })
    if (left === undefined) return run
    try {
      return (await this.#copyRest(left)) ?? run
    } catch (error) {
      // The run exists: its start continues the copy.
      if (error instanceof UnavailableError) return run
      throw error
    }
  }

  /** Gives the run if it was dropped after the last piece. */
  async #copyRest(row: number): Promise<Run | undefined> {
    for (;;) {
      // These writes do not belong to the idempotent request.
      const { isLeft, ended } = await claims.run(undefined, () =>
        this.commits.write(() => copyOn(this.context, row)),
      )
      if (!isLeft) return ended
    }
  }

  /** Repeats a write after the journal of its run is completely copied. */
  async #whole<T>(write: () => T): Promise<T> {
    for (;;) {
      try {
        return await this.commits.write(write)
      } catch (error) {
        if (!(error instanceof IncompleteJournalError)) throw error
        await this.#copyRest(error.run)
      }
    }
  }

  start(uuid: string, newCase: NewRunCase): Promise<Run | undefined> {
    return this.#whole(() =>
      startRun(this.context, requireRunRow(this.database, 'uuid', uuid), newCase, this.#rates),
    )
  }

  heldUntil(uuid: string): Promise<number> {
    return this.database.read(() => heldUntil(this.database, uuid))
  }

  openCase(uuid: string, newCase: NewRunCase): Promise<string> {
    return this.commits.write(() =>
      openCaseOf(this.context, requireRunRow(this.database, 'uuid', uuid), newCase),
    )
  }

  queueOrGroup(
    given: NewRun & { readonly alertUuid: string },
    group: NewGroup,
    begin?: NewRunCase,
  ): Promise<QueuedOrGrouped> {
    return this.commits.write(() => queueOrGroup(this.context, given, group, begin))
  }

  end(uuid: string, end: RunEnd): Promise<Run> {
    return this.#ending(uuid, () => endRun(this.context, requireRunRow(this.database, 'uuid', uuid), end))
  }

  /** A write that may end a run. Alerts that follow its alert may be too many for one write. */
  async #ending(uuid: string, write: () => Run): Promise<Run> {
    let left = false
    const run = await this.#whole(() => {
      const written = write()
      left = written.endedAt !== null && hasUnsettled(this.database, uuid)
      return written
    })
    while (left) left = await this.commits.write(() => !settleLeftBehind(this.database, this.clock.now()))
    return run
  }

  cancel(scope: OrganizationScope, uuid: string, by: Actor): Promise<Run> {
    return this.#ending(uuid, () => {
      const run = requireRunRow(this.database, 'uuid', uuid.toLowerCase())
      if (!isInScope(scope, run.organizationUuid))
        throw new NotFoundError('run_not_found', `there is no run ${uuid}`)
      const end = endOfCancelled(run)
      const isNews =
        this.database.run(
          'UPDATE runs SET cancelled_by = ?, cancelled_at = ? WHERE id = ? AND cancelled_at IS NULL',
          toJson(authorOf(by)),
          this.clock.now(),
          run.id,
        ) === 1
      if (isNews) recordRun(this.context, 'run.cancelled', run, by)
      const asked = requireRunRow(this.database, 'id', run.id)
      wakeRun(this.database, run.id)
      return end === undefined ? toRun(asked) : endRun(this.context, asked, end)
    })
  }

  nextInLine(uuid: string): Promise<Run | undefined> {
    return this.database.read(() => {
      const row = this.database.get<RunRow>(
        `${selectRun} WHERE t.concurrency_key = (SELECT concurrency_key FROM runs WHERE uuid = ?)
           AND t.ended_at IS NULL AND t.status = ? ORDER BY t.id LIMIT 1`,
        uuid,
        newRunStatus,
      )
      return row && toRun(row)
    })
  }

  requesters(uuid: string): Promise<readonly string[]> {
    return this.database.read(() => requestersOf(this.database, uuid))
  }

  find(scope: OrganizationScope, uuid: string): Promise<Run | undefined> {
    return this.database.read(() => {
      const row = this.database.get<RunRow>(`${selectRun} WHERE t.uuid = ?`, uuid.toLowerCase())
      return row && isInScope(scope, row.organizationUuid) ? toRun(row) : undefined
    })
  }

  list(scope: OrganizationScope, filter: RunFilter, page: ListRequest): Promise<ListPage<ListedRun>> {
    return this.database.read(() => listRuns(this.database, scope, filter, page))
  }

  resultsOf(scope: OrganizationScope, request: ResultsRequest): Promise<PlaybookResults> {
    return this.database.read(() => playbookResults(this.database, scope, request))
  }

  isSuperseded(uuid: string): Promise<boolean> {
    return this.database.read(() => hasSuccessor(this.database, uuid))
  }

  take(uuid: string): Promise<ClaimedRun | ParkedRun | undefined> {
    return this.#whole(() => {
      const turn = takeTurn(this.database, uuid, this.clock.now())
      if (turn === undefined) return undefined
      const run = toRun(requireRunRow(this.database, 'uuid', uuid))
      if (turn.wakeAt === undefined) return { run, soloCrashes: turn.soloCrashes }
      return { uuid: run.uuid, organizationUuid: run.organizationUuid, wakeAt: turn.wakeAt }
    })
  }

  park(uuid: string, wakeAt: number): Promise<boolean> {
    return this.commits.write(() => parkRun(this.database, uuid, wakeAt))
  }

  due(organizationUuid: string, limit: number): Promise<readonly RunKey[]> {
    return this.database.read(() => dueRuns(this.database, organizationUuid, this.clock.now(), limit))
  }

  parked(after: ParkedRun | undefined, limit: number): Promise<readonly ParkedRun[]> {
    return this.database.read(() => parkedRuns(this.database, after, limit))
  }

  unfinishedWork(): Promise<UnfinishedWork> {
    return this.database.read(() => countUnfinished(this.database, this.clock.now()))
  }

  countQueued(): Promise<ReadonlyMap<string, number>> {
    return this.database.read(() => countQueuedRuns(this.database))
  }

  async recover(): Promise<void> {
    let left = await this.commits.write(() => {
      recoverRuns(this.database)
      return !settleLeftBehind(this.database, this.clock.now())
    })
    while (left) left = await this.commits.write(() => !settleLeftBehind(this.database, this.clock.now()))
  }

  suspects(): Promise<readonly SuspectRun[]> {
    return this.database.read(() => suspectRuns(this.database))
  }

  setAlone(uuid: string, alone: boolean): Promise<void> {
    return this.commits.write(() => setAlone(this.database, uuid, alone))
  }

  setCrashes(uuid: string, from: number, to: number): Promise<void> {
    return this.commits.write(() => {
      this.database.run('UPDATE runs SET crashes = ? WHERE uuid = ? AND crashes = ?', to, uuid, from)
    })
  }

  forgetCrashes(): Promise<void> {
    return this.commits.write(() => {
      // The next start counts a crash for each run with a turn: with -1 it becomes 0.
      this.database.run(
        `UPDATE runs SET crashes = iif(wake_at IS NULL, -1, 0), convictions = 0
         WHERE status IN (${active}) AND ended_at IS NULL AND (crashes != 0 OR wake_at IS NULL)`,
      )
    })
  }
}
