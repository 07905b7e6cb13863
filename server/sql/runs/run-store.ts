import { together, type Work } from '../database/work.ts'
import type { NewGroup } from '../../../core/domain/alert-group.ts'
import type { NewRun, Run, RunEnd, RunFilter } from '../../../core/domain/run.ts'
import { NotFoundError, UnavailableError } from '../../../core/errors/errors.ts'
import type {
  ListedRun,
  NewRunCase,
  RunsOfVersion,
  UnfinishedWork,
  ParkedRun,
  PlaybookActivity,
  PlaybookResults,
  QueuedOrGrouped,
  ResultsRequest,
  RunKey,
  RunRequester,
  RunStore,
  SuspectRun,
  ClaimedRun,
  WokenTurn,
} from '../../../core/ports/runs/run-store.ts'
import type { ListPage, ListRequest, OrganizationScope } from '../../../core/ports/common.ts'
import type { Actor } from '../../../core/domain/audit.ts'
import { newRunStatus } from '../../../core/transitions/run.ts'
import { queueOrGroup } from '../alerts/alert-groups.ts'
import { playbookActivity, playbookResults } from '../playbooks/playbook-results.ts'
import { claims } from '../database/request-claims.ts'
import { hasSuccessor, IncompleteJournalError, requestersOf, unfinishedCopy } from './reruns.ts'
import { countUnfinished } from './unfinished-work.ts'
import { queueRun } from './queue-run.ts'
import { askToCancel, copyOn, endRun, openCaseOf, readEnding, startRun } from './run-transitions.ts'
import { listRuns } from './list-runs.ts'
import { requireRunRow, selectRun, toRun, type RunRow } from './run-rows.ts'
import {
  countQueuedRuns,
  dueRuns,
  forgetCrashes,
  giveUpOwn,
  heldUntil,
  organizationsWithDue,
  parkedRuns,
  parkRun,
  recoverRuns,
  runsOfNewer,
  setAlone,
  suspectRuns,
  takeTurn,
  turnsBesides,
  wokenTurns,
} from './run-turns.ts'
import { isInScope } from '../../../core/common/scope.ts'
import { settleLeftBehind } from '../alerts/settle-followers.ts'
import type { SqlRates } from '../limits/rates.ts'
import { SqlStore, type StoreContext } from '../context/store-context.ts'

export class SqlRunStore extends SqlStore implements RunStore {
  readonly #rates: SqlRates

  constructor(context: StoreContext, rates: SqlRates) {
    super(context)
    this.#rates = rates
  }

  async queue(given: NewRun, begin?: NewRunCase): Promise<Run> {
    let left: number | undefined
    const run = await this.write(() => this.#queue(given, begin, (row) => (left = row)))
    if (left === undefined) return run
    try {
      return (await this.#copyRest(left)) ?? run
    } catch (error) {
      // The run exists: its start continues the copy.
      if (error instanceof UnavailableError) return run
      throw error
    }
  }

  /** Gives what was created, which is kept for repeated requests. */
  *#queue(given: NewRun, begin?: NewRunCase, onLeft?: (row: number | undefined) => void): Work<Run> {
    const run = yield* queueRun(this.context, given, { begin })
    if (given.carriesOver) onLeft?.(yield* unfinishedCopy(this.database, run.uuid))
    return run
  }

  /** Gives the run if it was dropped after the last piece. */
  async #copyRest(row: number): Promise<Run | undefined> {
    for (;;) {
      // These writes do not belong to the idempotent request.
      const { isLeft, ended } = await claims.run(undefined, () => this.write(() => copyOn(this.context, row)))
      if (!isLeft) return ended
    }
  }

  /** Repeats a write after the journal of its run is completely copied. */
  async #whole<T>(run: string, write: (this: this) => Work<T>): Promise<T> {
    const scope = this.database.hasOneWriter ? 'all' : await this.scopeAround(run)
    for (;;) {
      try {
        return await this.writeIn(scope, write)
      } catch (error) {
        if (!(error instanceof IncompleteJournalError)) throw error
        await this.#copyRest(error.run)
      }
    }
  }

  start(uuid: string, newCase: NewRunCase): Promise<Run | undefined> {
    return this.#whole(
      uuid,
      this.fenced(uuid, () => this.#start(uuid, newCase)),
    )
  }

  *#start(uuid: string, newCase: NewRunCase): Work<Run | undefined> {
    const row = yield* requireRunRow(this.database, 'uuid', uuid)
    return yield* startRun(this.context, row, newCase, this.#rates)
  }

  heldUntil(uuid: string): Promise<number> {
    return this.read(() => heldUntil(this.database, uuid))
  }

  openCase(uuid: string, newCase: NewRunCase): Promise<string> {
    return this.writeAround(uuid, function* () {
      return yield* openCaseOf(this.context, yield* requireRunRow(this.database, 'uuid', uuid), newCase)
    })
  }

  queueOrGroup(
    given: NewRun & { readonly alertUuid: string },
    group: NewGroup,
    begin?: NewRunCase,
  ): Promise<QueuedOrGrouped> {
    return this.writeIn({ organization: given.organizationUuid }, () =>
      queueOrGroup(this.context, given, group, begin),
    )
  }

  end(uuid: string, end: RunEnd): Promise<Run> {
    return this.#ending(uuid, (onUnsettled) => this.fenced(uuid, () => this.#end(uuid, end, onUnsettled)))
  }

  *#end(uuid: string, end: RunEnd, onUnsettled: () => void): Work<Run> {
    const [run, ending] = yield* together([
      requireRunRow(this.database, 'uuid', uuid),
      readEnding(this.database, uuid),
    ])
    return yield* endRun(this.context, run, end, { ending, onUnsettled })
  }

  /** A write that may end a run. Alerts that follow its alert may be too many for it. */
  async #ending(uuid: string, write: (onUnsettled: () => void) => (this: this) => Work<Run>): Promise<Run> {
    let isLeft = false
    const run = await this.#whole(
      uuid,
      write(() => (isLeft = true)),
    )
    if (isLeft) await this.settleFollowers()
    return run
  }

  cancel(scope: OrganizationScope, uuid: string, by: Actor): Promise<Run> {
    return this.#ending(uuid, (onUnsettled) => () => this.#cancel(scope, uuid, by, onUnsettled))
  }

  *#cancel(scope: OrganizationScope, uuid: string, by: Actor, onUnsettled: () => void): Work<Run> {
    const run = yield* requireRunRow(this.database, 'uuid', uuid.toLowerCase())
    if (!isInScope(scope, run.organizationUuid))
      throw new NotFoundError('run_not_found', `there is no run ${uuid}`)
    return yield* askToCancel(this.context, run, by, onUnsettled)
  }

  nextInLine(uuid: string): Promise<Run | undefined> {
    return this.read(function* () {
      const row = yield* this.database.get<RunRow>(
        `${selectRun} WHERE t.concurrency_key = (SELECT concurrency_key FROM runs WHERE uuid = ?)
           AND t.ended_at IS NULL AND t.status = ? ORDER BY t.id LIMIT 1`,
        uuid,
        newRunStatus,
      )
      return row && toRun(row)
    })
  }

  requesters(uuid: string): Promise<readonly RunRequester[]> {
    return this.read(() => requestersOf(this.database, uuid))
  }

  find(scope: OrganizationScope, uuid: string): Promise<Run | undefined> {
    return this.read(() => this.#find(scope, uuid))
  }

  *#find(scope: OrganizationScope, uuid: string): Work<Run | undefined> {
    const row = yield* this.database.get<RunRow>(`${selectRun} WHERE t.uuid = ?`, uuid.toLowerCase())
    return row && isInScope(scope, row.organizationUuid) ? toRun(row) : undefined
  }

  list(scope: OrganizationScope, filter: RunFilter, page: ListRequest): Promise<ListPage<ListedRun>> {
    return this.read(() => listRuns(this.database, scope, filter, page))
  }

  resultsOf(scope: OrganizationScope, request: ResultsRequest): Promise<PlaybookResults> {
    return this.read(() => playbookResults(this.database, scope, request))
  }

  activityOf(
    scope: OrganizationScope,
    names: readonly string[],
    since: number,
  ): Promise<ReadonlyMap<string, PlaybookActivity>> {
    return this.read(() => playbookActivity(this.database, scope, names, since))
  }

  isSuperseded(uuid: string): Promise<boolean> {
    return this.read(() => hasSuccessor(this.database, uuid))
  }

  take(uuid: string): Promise<ClaimedRun | ParkedRun | undefined> {
    return this.#whole(uuid, () => this.#take(uuid))
  }

  *#take(uuid: string): Work<ClaimedRun | ParkedRun | undefined> {
    const turn = yield* takeTurn(this.database, uuid, this.clock.now())
    if (turn === undefined) return undefined
    const run = toRun(yield* requireRunRow(this.database, 'uuid', uuid))
    if (turn.wakeAt === undefined) return { run, turn: turn.number, soloCrashes: turn.soloCrashes }
    return { uuid: run.uuid, organizationUuid: run.organizationUuid, wakeAt: turn.wakeAt }
  }

  park(uuid: string, wakeAt: number): Promise<boolean> {
    return this.writeFor(uuid, () => parkRun(this.database, uuid, wakeAt))
  }

  due(organizationUuid: string, limit: number, suspects?: boolean): Promise<readonly RunKey[]> {
    return this.read(() => dueRuns(this.database, organizationUuid, this.clock.now(), limit, suspects))
  }

  organizationsWithDue(): Promise<readonly string[]> {
    return this.read(() => organizationsWithDue(this.database, this.clock.now()))
  }

  wokenTurns(uuids: readonly string[]): Promise<readonly WokenTurn[]> {
    return this.read(() => wokenTurns(this.database, uuids))
  }

  turnsBesides(uuids: readonly string[]): Promise<readonly string[]> {
    return this.read(() => turnsBesides(this.database, uuids))
  }

  giveUp(uuids: readonly string[]): Promise<void> {
    return this.write(() => giveUpOwn(this.database, uuids))
  }

  parked(after: ParkedRun | undefined, limit: number): Promise<readonly ParkedRun[]> {
    return this.read(() => parkedRuns(this.database, after, limit))
  }

  unfinishedWork(): Promise<UnfinishedWork> {
    return this.read(() => countUnfinished(this.database, this.clock.now()))
  }

  ofNewer(): Promise<readonly RunsOfVersion[]> {
    return this.read(() => runsOfNewer(this.database))
  }

  countQueued(): Promise<ReadonlyMap<string, number>> {
    return this.read(() => countQueuedRuns(this.database))
  }

  recover(): Promise<void> {
    return this.write(() => recoverRuns(this.database))
  }

  async settleFollowers(): Promise<void> {
    const work = () => settleLeftBehind(this.database, this.clock.now())
    for (let isLeft = true; isLeft;) isLeft = !(await this.write(work))
  }

  suspects(): Promise<readonly SuspectRun[]> {
    return this.read(() => suspectRuns(this.database))
  }

  setAlone(uuid: string, alone: boolean): Promise<void> {
    return this.write(() => setAlone(this.database, uuid, alone))
  }

  setCrashes(uuid: string, from: number, to: number): Promise<void> {
    return this.write(function* () {
      yield* this.database.run('UPDATE runs SET crashes = ? WHERE uuid = ? AND crashes = ?', to, uuid, from)
    })
  }

  forgetCrashes(): Promise<void> {
    return this.write(() => forgetCrashes(this.database))
  }
}
