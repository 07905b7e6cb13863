import type { Actor } from '../../domain/audit.ts'
import type { NewGroup } from '../../domain/alert-group.ts'
import type { NewRun, Run, RunEnd, RunFilter, RunTrigger } from '../../domain/run.ts'
import type { ListPage, ListRequest, OrganizationScope } from '../common.ts'

/** A run in a list: without what can be large, its output and the fields of its trigger. */
export type ListedRun = Omit<Run, 'output' | 'trigger'> & {
  readonly trigger?: Pick<RunTrigger, 'kind' | 'at' | 'chain'> | undefined
}

export interface ResultsRequest {
  /** Name of the playbook; all versions are counted. */
  readonly name: string
  /** Starts of the last week and month, in epoch milliseconds. */
  readonly weekFrom: number
  readonly monthFrom: number
  /** Number of the newest runs to return, at most 100. */
  readonly runs: number
}

export interface PlaybookActivity {
  /** Epoch milliseconds; null: it has no run. */
  readonly lastRunAt: number | null
  readonly runs: number
}

export interface PlaybookResults {
  /** Start of the counts in epoch milliseconds: `monthFrom`, or later for very many runs. */
  readonly since: number
  /** Number of alerts that started a run. */
  readonly alerts: { readonly week: number; readonly month: number }
  /** Number of alerts that joined the case of one of them without a run, at most the newest 10,000. */
  readonly repeats: { readonly week: number; readonly month: number }
  /** Of the newest 100 runs: how many completed or failed, and how many failed. */
  readonly judged: number
  readonly failed: number
  /** Newest first. */
  readonly runs: readonly Pick<Run, 'uuid' | 'status' | 'createdAt' | 'endedAt'>[]
}

/** A key or an account that requested a run. */
export interface RunRequester {
  /** Public id of the key, or uuid of the account. */
  readonly id: string
  /** When, in epoch milliseconds. */
  readonly at: number
}

export interface RunStore {
  /**
   * Queues a run. Its alert moves to Submitted, from Created or, for a retry, from its final status; throws
   * ConflictError
   * `alert_move_forbidden` otherwise. With the concurrency policy `drop`, the run is cancelled immediately
   * (`run_dropped`) while
   * another run of the key is active. For a retry of a run: throws NotFoundError `run_not_found`,
   * ConflictError `run_not_ended`,
   * `run_superseded` or `run_pruned`; for a run that undoes, what `beginUndo` throws. `begin`: starts the run of an alert in the same write, unless an
   * earlier run of its
   * concurrency key is active; the caller must then give it its turn.
   */
  queue(run: NewRun, begin?: NewRunCase): Promise<Run>
  /**
   * Queues a run for an alert that may be a repeat. While the group of an earlier alert is active and its case is not closed, a
   * repeat joins that case without a run: it is Completed if the first alert is, otherwise Submitted until that ends. If the
   * investigation of the first alert failed, the repeat is investigated in its case and takes its place. Any other alert begins a
   * group. `begin`: starts the first run of a group in the same write, like `queue`.
   */
  queueOrGroup(
    run: NewRun & { readonly alertUuid: string },
    group: NewGroup,
    begin?: NewRunCase,
  ): Promise<QueuedOrGrouped>
  /**
   * Starts a queued run: its alert becomes InProgress, and its case is opened unless the alert has one. A run without an alert has
   * the case of the run that it retries, or none yet. Undefined: it is held, because an earlier run of its concurrency key is
   * active or by the rate limit of its playbook; with the policy `drop` of that limit, it ends instead (`run_rate_exceeded`).
   * Throws ConflictError `run_not_queued`.
   */
  start(uuid: string, newCase: NewRunCase): Promise<Run | undefined>
  /** When a held run may start: a time in epoch milliseconds, or Infinity while an earlier run of its key is active. */
  heldUntil(uuid: string): Promise<number>
  /** Returns the id of the run's case; opens it if needed. Throws ConflictError `run_not_running`. */
  openCase(uuid: string, newCase: NewRunCase): Promise<string>
  /** Ends a run, withdraws its questions, and ends its alert. Throws ConflictError `run_not_running`. */
  end(uuid: string, end: RunEnd): Promise<Run>
  find(scope: OrganizationScope, uuid: string): Promise<Run | undefined>
  /** Who started or retried the run or a run that it retries, or sent its alert. */
  requesters(uuid: string): Promise<readonly RunRequester[]>
  list(scope: OrganizationScope, filter: RunFilter, page: ListRequest): Promise<ListPage<ListedRun>>
  /** Results of the runs of a playbook; the time is bounded for any number of runs. */
  resultsOf(scope: OrganizationScope, request: ResultsRequest): Promise<PlaybookResults>
  /**
   * By name of playbook: its newest run in the scope (of its newest 10,000), and how many ended since a time, in whole UTC days and as far as
   * numbers are rolled up.
   */
  activityOf(
    scope: OrganizationScope,
    names: readonly string[],
    since: number,
  ): Promise<ReadonlyMap<string, PlaybookActivity>>
  /** Whether a later run retries this one, or has investigated its alert. */
  isSuperseded(uuid: string): Promise<boolean>
  /** The oldest queued run with the concurrency key of this run. */
  nextInLine(uuid: string): Promise<Run | undefined>
  /**
   * Requests a cancellation; a queued run ends immediately. A second request changes nothing. Throws NotFoundError
   * `run_not_found`, ConflictError `run_has_ended`.
   */
  cancel(scope: OrganizationScope, uuid: string, by: Actor): Promise<Run>
  /**
   * Gives this node the turn of a due run, or returns when it is due. Undefined for a run that has its turn, here or on another node, that
   * a newer Tocsin has had (`ofNewer`), or does not exist; an ended run is returned as it is.
   */
  take(uuid: string): Promise<ClaimedRun | ParkedRun | undefined>
  /**
   * Parks a run after its turn until `wakeAt` (epoch milliseconds; Infinity: indefinitely), or until it is answered, decided or
   * cancelled. False: one of these happened during the turn, and the run is due. Any node may then take it.
   */
  park(uuid: string, wakeAt: number): Promise<boolean>
  /**
   * Due runs without a turn that this program may continue: first those left by a stopped process, then the oldest.
   *
   * @param suspects whether to include the runs of `suspects`. Default true
   */
  due(organizationUuid: string, limit: number, suspects?: boolean): Promise<readonly RunKey[]>
  /** Active runs that this program leaves to others: a newer Tocsin has queued them or has had their turns. By version, oldest first. */
  ofNewer(): Promise<readonly RunsOfVersion[]>
  /** Organizations (uuids) with due runs without a turn that are no suspects. */
  organizationsWithDue(): Promise<readonly string[]>
  /** Of these runs (uuids), those that were woken or cancelled in the turn that they have on this node. */
  wokenTurns(uuids: readonly string[]): Promise<readonly WokenTurn[]>
  /** Uuids of runs, a thousand at most, whose turn belongs to this node, without the given ones. */
  turnsBesides(uuids: readonly string[]): Promise<readonly string[]>
  /** Ends turns of this node, so that the runs are due. */
  giveUp(uuids: readonly string[]): Promise<void>
  /** Parked runs after the given one in the order of their times, overdue ones included. */
  parked(after: ParkedRun | undefined, limit: number): Promise<readonly ParkedRun[]>
  /** Unfinished work of all organizations. */
  unfinishedWork(): Promise<UnfinishedWork>
  /** Number of queued runs of each organization (uuid). */
  countQueued(): Promise<ReadonlyMap<string, number>>
  /** Makes runs due whose turn belongs to a process that is not among the nodes, and ends those turns. To be called before the first turn. */
  recover(): Promise<void>
  /**
   * Ends alerts that follow an alert whose investigation has ended. More than a thousand end in several writes, and a process may be lost
   * between two of them.
   */
  settleFollowers(): Promise<void>
  /** Runs whose process stopped during their turn more than once since they were last parked, oldest first. */
  suspects(): Promise<readonly SuspectRun[]>
  /** Records whether the run is the only one with a turn, so that a crash can be blamed on it. */
  setAlone(uuid: string, alone: boolean): Promise<void>
  /** Replaces the number of crashes of a run if it is still `from`. */
  setCrashes(uuid: string, from: number, to: number): Promise<void>
  /** Resets the crash counters of the turns of this node, and of all runs if there is no other node, at a regular stop. To be called when no run has a turn. */
  forgetCrashes(): Promise<void>
}

/** The case that a run opens if it has none. */
export interface NewRunCase {
  readonly title: string
}

/**
 * The queued run; or, for a repeat, the id of the alert with which it was grouped and whether that alert's
 * investigation is over.
 */
export type QueuedOrGrouped =
  { readonly run: Run } | { readonly groupedWith: string; readonly isOver: boolean }

/** A run that has its turn. */
export interface ClaimedRun {
  readonly run: Run
  /** See `RunTurn`. */
  readonly turn: number
  /** Number of crashes while it was the only run with a turn, since it was last parked. */
  readonly soloCrashes: number
}

export interface RunsOfVersion {
  /** Of Tocsin. */
  readonly version: string
  readonly runs: number
}

export interface WokenTurn {
  /** Uuid. */
  readonly run: string
  readonly isCancelled: boolean
}

export interface SuspectRun extends RunKey {
  /** Number of crashes during its turn since it was last parked; more if it was being watched. */
  readonly crashes: number
}

/** Counts of unfinished work. */
export interface UnfinishedWork {
  /** Runs. */
  readonly queued: number
  readonly running: number
  readonly waiting: number
  /** Age of the oldest queued run in milliseconds; 0 if none is queued. */
  readonly oldestQueuedMs: number
  /** Open questions, including approvals. */
  readonly questions: number
  /** Open approvals of destructive actions. */
  readonly approvals: number
  /** Steps with unknown outcome of active runs. */
  readonly unknownSteps: number
  /** Open cases whose next target is over. */
  readonly overdueCases: number
  /** Events that have not started their playbooks. */
  readonly events: number
  /** Runs and steps that wait for a rate limit of a playbook. */
  readonly rateLimited: { readonly runs: number; readonly steps: number }
}

/** Identifies a run. */
export type RunKey = Pick<Run, 'uuid' | 'organizationUuid'>

/** A parked run; `wakeAt` in epoch milliseconds, or Infinity. */
export interface ParkedRun extends RunKey {
  readonly wakeAt: number
}
