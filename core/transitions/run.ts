import type { CheckpointState } from '../domain/checkpoint.ts'
import { runStatusMoves, type NewRun, type Run, type RunEnd, type RunStatus } from '../domain/run.ts'
import { writeRate, type RunRate } from '../common/rates.ts'
import { ConflictError } from '../errors/errors.ts'
import type { StoredSchedule } from '../ports/runs/schedule-store.ts'
import { runPruned, runSuperseded } from '../retry/refused.ts'

type RunState = Pick<Run, 'uuid' | 'status'>

/** Statuses of a run that has not ended. */
export const activeRunStatuses = ['queued', 'running', 'waiting'] as const satisfies readonly RunStatus[]
/** State in which the open questions of an ended run end. */
export const stateOfAbandonedQuestions: CheckpointState = 'withdrawn'

export const newRunStatus: RunStatus = 'queued'

/** A run with the concurrency policy `drop` ends immediately if an earlier run of its key is active. */
export const isDropped = (concurrency: NewRun['concurrency'], hasActiveRun: boolean): boolean =>
  concurrency?.policy === 'drop' && hasActiveRun

export const droppedEnd: RunEnd = {
  status: 'cancelled',
  output: null,
  error: {
    code: 'run_dropped',
    message: 'another run of the same concurrency key has not ended',
    hint: 'the playbook says `policy: drop`',
  },
}

/** The end of a run beyond the rate limit of its playbook, with the policy `drop`. */
export const rateExceededEnd = ({ limit }: RunRate): RunEnd => ({
  status: 'cancelled',
  output: null,
  error: {
    code: 'run_rate_exceeded',
    message: `more runs than ${writeRate(limit)}, the rate limit of the playbook`,
    hint: 'the playbook says `policy: drop`',
  },
})

const cancelledEnd: RunEnd = {
  status: 'cancelled',
  output: null,
  error: { code: 'run_cancelled', message: 'the run was cancelled' },
}

/** The end of a run that was active when a backup was made. */
export const restoredEnd: RunEnd = {
  status: 'failed',
  output: null,
  error: {
    code: 'run_restored',
    message: 'the run was active when the restored backup was made',
    hint: 'check what the run has done since then, and retry it',
  },
}

/**
 * Throws ConflictError `run_not_ended`, `run_superseded` or `run_pruned` for a run that cannot be retried.
 */
export function requireRetriable(
  run: RunState & Pick<Run, 'endedAt' | 'prunedAt'>,
  hasSuccessor: boolean,
): void {
  if (run.endedAt === null)
    throw new ConflictError(
      'run_not_ended',
      `the run ${run.uuid} is ${run.status}: only ended runs are retried`,
    )
  if (hasSuccessor) throw runSuperseded(run.uuid)
  if (run.prunedAt !== null) throw runPruned(run.uuid)
}

/** Throws ConflictError `run_not_queued`. */
export function startedRun(run: RunState, now: number): Pick<Run, 'status' | 'startedAt'> {
  requireQueued(run)
  return { status: 'running', startedAt: now }
}

export function requireQueued({ uuid, status }: RunState): void {
  if (status !== newRunStatus) throw new ConflictError('run_not_queued', `the run ${uuid} is ${status}`)
}

/** Throws ConflictError `run_not_running` for a run that cannot open a case. */
export function requireMayOpenCase({ uuid, status }: RunState): void {
  if (status === 'running' || status === 'waiting') return
  throw new ConflictError('run_not_running', `the run ${uuid} is ${status}: no case is opened for it`)
}

/** Throws ConflictError `run_not_running`. */
export function endedRun(
  { uuid, status }: RunState,
  end: RunEnd,
  now: number,
): Pick<Run, 'status' | 'endedAt' | 'error'> {
  if (!runStatusMoves[status].includes(end.status))
    throw new ConflictError('run_not_running', `the run ${uuid} is ${status} and cannot become ${end.status}`)
  return { status: end.status, endedAt: now, error: end.error }
}

/**
 * Throws ConflictError `run_has_ended`. `end`: how a run ends that has not started; a started run ends by
 * itself when it notices the request.
 */
export function endOfCancelled({
  uuid,
  status,
  endedAt,
}: RunState & Pick<Run, 'endedAt'>): RunEnd | undefined {
  if (endedAt !== null) throw new ConflictError('run_has_ended', `the run ${uuid} is ${status} already`)
  return status === newRunStatus ? cancelledEnd : undefined
}

/** A started run is `waiting` while a person has to answer a question or to decide about a step. */
export function waitingStatus(status: RunStatus, waitsForPerson: boolean): RunStatus {
  if (status !== 'running' && status !== 'waiting') return status
  return waitsForPerson ? 'waiting' : 'running'
}

/** Of ended runs: how many have a result, and how many of these failed. Cancelled runs have none. */
export function countResults(statuses: readonly RunStatus[]): {
  readonly judged: number
  readonly failed: number
} {
  const failed = statuses.filter((status) => status === 'failed').length
  return { judged: failed + statuses.filter((status) => status === 'completed').length, failed }
}

/**
 * Like cron(8): if the stored time of a schedule is later than the wanted one by more than three hours, the
 * clock was wrong when it was computed. A clock that is set back by less does not fire a schedule twice.
 */
const maxClockStepMs = 3 * 3_600_000

/** The next time of a schedule that is stored already: an overdue time is kept. */
export function keptNextAt(
  stored: Pick<StoredSchedule, 'cron' | 'timezone' | 'nextAt'>,
  wanted: Pick<StoredSchedule, 'cron' | 'timezone' | 'nextAt'>,
): number {
  const isSame = stored.cron === wanted.cron && stored.timezone === wanted.timezone
  const isKept = isSame && stored.nextAt <= wanted.nextAt + maxClockStepMs
  return isKept ? stored.nextAt : wanted.nextAt
}
