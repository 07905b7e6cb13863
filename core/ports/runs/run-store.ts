import type { Actor } from '../../domain/audit.ts'
import type { NewGroup } from '../../domain/alert-group.ts'
import type { NewRun, Run, RunEnd, RunFilter } from '../../domain/run.ts'
import type { Page, PageRequest, Scope } from '../common.ts'

/** A run as lists show it: its output can be large. */
export type ListedRun = Omit<Run, 'output'>

export interface ResultsRequest {
  /** Of the playbook, in all its versions. */
  readonly name: string
  /** Epoch milliseconds: what is counted as of the last week and of the last month. */
  readonly weekFrom: number
  readonly monthFrom: number
  /** How many of the newest runs are told of, at most 100. */
  readonly runs: number
}

export interface PlaybookResults {
  /** The counts reach back to this time, in epoch milliseconds: that of the month, or later where there were very many runs. */
  readonly since: number
  /** How many alerts began a run. */
  readonly alerts: { readonly week: number; readonly month: number }
  /** How many of the newest 100 runs completed or failed, and how many of these failed. */
  readonly judged: number
  readonly failed: number
  /** The newest first. */
  readonly runs: readonly Pick<Run, 'uuid' | 'status' | 'createdAt' | 'endedAt'>[]
}

export interface RunStore {
  /**
   * Queues a run; the alert, where there is one, moves to Submitted with the playbook as its investigator: from Created, or,
   * for a retry, from its end. Throws ConflictError `alert_move_forbidden` for an alert that stands anywhere else. Where its
   * concurrency says `drop` and another run of the key has not ended, it is cancelled at once, with error `run_dropped`. For a
   * run to carry over from: throws NotFoundError `run_not_found`, ConflictError `run_not_ended`, and `run_superseded` where a
   * later one has gone on from it or has investigated its alert.
   */
  queue(run: NewRun): Promise<Run>
  /**
   * The same for an alert that may be a repeat. Of a group whose time is not over and whose case is not closed, a repeat joins the
   * case without a run: it has the status Completed where the first alert has, and is Submitted and ends with it where that is
   * under investigation. Where the first one failed, the repeat is investigated in its case and stands for the group from then on.
   * Any other alert begins a group.
   */
  queueOrGroup(run: NewRun & { readonly alertUuid: string }, group: NewGroup): Promise<QueuedOrGrouped>
  /**
   * Starts a queued run: its alert moves to InProgress, and a case is opened for it (unless the alert has one), all linked. A run
   * without an alert has the case of the run that it goes on from, or none yet.
   * Undefined: an earlier run of its concurrency key has not ended; then its turn comes when that has. Throws ConflictError
   * `run_not_queued`.
   */
  start(uuid: string, newCase: { readonly title: string }): Promise<Run | undefined>
  /** The id of its case, which is opened where it has none yet. Throws ConflictError `run_not_running`. */
  openCase(uuid: string, newCase: { readonly title: string }): Promise<string>
  /** Ends a run, withdraws its questions, and moves its alert to Completed or Failed with the time. Throws ConflictError `run_not_running`. */
  end(uuid: string, end: RunEnd): Promise<Run>
  find(scope: Scope, uuid: string): Promise<Run | undefined>
  /** Public ids of the API keys that asked for it: that started or retried it, or one that it goes on from, or sent its alert. */
  requesters(uuid: string): Promise<readonly string[]>
  list(scope: Scope, filter: RunFilter, page: PageRequest): Promise<Page<ListedRun>>
  /** What became of the runs of a playbook, in bounded time however many there are. */
  resultsOf(scope: Scope, request: ResultsRequest): Promise<PlaybookResults>
  /** Whether a later run has gone on from this one, or has investigated its alert. */
  isSuperseded(uuid: string): Promise<boolean>
  /** The oldest queued run with the concurrency key of this one. */
  nextInLine(uuid: string): Promise<Run | undefined>
  /**
   * Asks for a cancellation; a queued run ends at once. A second request changes nothing. Throws NotFoundError `run_not_found`,
   * ConflictError `run_has_ended`.
   */
  cancel(scope: Scope, uuid: string, by: Actor): Promise<Run>
  /**
   * Gives a run its turn, or the time at which that comes where it was put away until later. Undefined for one that has its turn, or is
   * not there; one that has ended is given as it is.
   */
  take(uuid: string): Promise<TakenRun | ParkedRun | undefined>
  /**
   * Puts a run away that had its turn. Its next one comes at `wakeAt` (epoch milliseconds; Infinity: never by itself), or when it is
   * answered, decided about or cancelled. False: that has happened since it was taken, and its turn has come already.
   */
  park(uuid: string, wakeAt: number): Promise<boolean>
  /** Those whose turn has come and which nobody has taken: those left behind first, then the oldest. */
  due(organizationUuid: string, limit: number): Promise<readonly RunKey[]>
  /** Those that wait for a later time than the given one, or from the beginning, over or not; the next ones first. */
  parked(after: ParkedRun | undefined, limit: number): Promise<readonly ParkedRun[]>
  /** How much there is to do and to decide, of all organizations. */
  unfinishedWork(): Promise<UnfinishedWork>
  /** How many runs of each organization (by uuid) have been queued and not started. */
  countQueued(): Promise<ReadonlyMap<string, number>>
  /** Gives up what other processes had taken: it is due, and left behind. To be called before the first is taken. */
  recover(): Promise<void>
  /** Runs that were left behind more than once since they last rested; the oldest first. */
  suspects(): Promise<readonly SuspectRun[]>
  /** Notes whether a run has its turn with nothing else under way: being left behind convicts it then. */
  setAlone(uuid: string, alone: boolean): Promise<void>
  /** Changes what `suspects` says about a run, where it says `from`. */
  setCrashes(uuid: string, from: number, to: number): Promise<void>
  /** Clears all suspicion: the process ends as it should. To be called when no run has a turn any more. */
  forgetCrashes(): Promise<void>
}

/** The run that was queued, or the id of the alert with which this one was grouped and whether its investigation is over. */
export type QueuedOrGrouped =
  { readonly run: Run } | { readonly groupedWith: string; readonly isOver: boolean }

/** A run that has a turn. */
export interface TakenRun {
  readonly run: Run
  /** How often an earlier process stopped while it had its turn alone, since it last rested. */
  readonly convictions: number
}

export interface SuspectRun extends RunKey {
  /** How often it was left behind since it last rested; more where it was watched meanwhile. */
  readonly crashes: number
}

/** Counts of what has not ended. */
export interface UnfinishedWork {
  /** Runs. */
  readonly queued: number
  readonly running: number
  readonly waiting: number
  /** How long ago the oldest queued run was queued; 0 where there is none. */
  readonly oldestQueuedMs: number
  /** Questions to people, approvals among them. */
  readonly questions: number
  /** Uses of destructive skills that wait for a person. */
  readonly approvals: number
  /** Steps with unknown outcome, of runs that have not ended. */
  readonly unknownSteps: number
}

/** What it takes to find a run again. */
export type RunKey = Pick<Run, 'uuid' | 'organizationUuid'>

/** A run that was put away until a time: epoch milliseconds, or Infinity. */
export interface ParkedRun extends RunKey {
  readonly wakeAt: number
}
