import { authorOf } from '../domain/audit.ts'
import type { FailedAttempt, JournalEntry, Resolution, StepDecision, StepState } from '../domain/run.ts'
import { ConflictError, NotFoundError } from '../errors/errors.ts'
import type { JournalEnd, NewResolution } from '../ports/runs/journal-store.ts'

/** States of a step that has begun and not ended. */
export const stepState = { started: 'started', unknown: 'unknown' } as const satisfies Record<
  string,
  StepState
>

/** States of a step that has not ended. */
export const unfinishedStates: readonly StepState[] = Object.values(stepState)

/** Whether a second `begin` of a path raises the attempt of the step. */
export const raisesAttempt = (known: Pick<JournalEntry, 'state' | 'attempt'>, attempt: number): boolean =>
  known.state === stepState.started && attempt > known.attempt

/** The step to end. Throws NotFoundError `step_not_begun`. */
export function requireBegun<Step>(path: string, step: Step | undefined): Step {
  if (step !== undefined) return step
  throw new NotFoundError('step_not_begun', `the step at ${path} has not begun`)
}

/**
 * Ends a step that has begun. An unknown step can end too, since a cancelled or timed-out run does not wait for the decision about it.
 * Throws ConflictError `step_has_ended`.
 */
export function endStep(
  path: string,
  step: Pick<JournalEntry, 'state' | 'attempt'>,
  { state, error, attempt, endedAt }: JournalEnd,
): Pick<JournalEntry, 'state' | 'error' | 'attempt' | 'endedAt'> {
  if (!unfinishedStates.includes(step.state)) throw stepHasEnded(path)
  return { state, error, endedAt, attempt: step.state === stepState.unknown ? step.attempt : attempt }
}

export const stepHasEnded = (path: string): ConflictError =>
  new ConflictError('step_has_ended', `the step at ${path} has a result already`)

/** The outcome of a started step becomes unknown; other steps keep their state. */
export const parkStep = (state: StepState): StepState =>
  state === stepState.started ? stepState.unknown : state

const decidedStates: Readonly<Record<StepDecision, StepState>> = {
  ran: 'completed',
  ran_output_unknown: 'completed',
  skip: 'skipped',
  run_again: 'started',
}

export interface ResolvedStep extends Pick<JournalEntry, 'state' | 'output' | 'endedAt'> {
  readonly resolution: Resolution
  /** The attempt with unknown outcome counts as failed when the step runs again. */
  readonly failedAttempt: FailedAttempt | undefined
}

/** The step to decide about. Throws NotFoundError `step_not_found`. */
export function requireStep<Step>(path: string, step: Step | undefined): Step {
  if (step !== undefined) return step
  throw new NotFoundError('step_not_found', `the run has no step at ${path}`)
}

/** Applies a person's decision. Throws ConflictError `step_not_unknown`. */
export function decideStep(
  path: string,
  step: Pick<JournalEntry, 'state' | 'attempt' | 'startedAt'>,
  { decision, output, by }: NewResolution,
  at: number,
): ResolvedStep {
  if (step.state !== stepState.unknown)
    throw new ConflictError(
      'step_not_unknown',
      `the step at ${path} is ${step.state}: there is nothing to decide`,
    )
  const { attempt, startedAt } = step
  const error = { code: 'step_interrupted', message: 'the process stopped during the step' }
  const isOver = decision !== 'run_again'
  return {
    state: decidedStates[decision],
    output: decision === 'ran' ? output : null,
    endedAt: isOver ? at : null,
    resolution: { decision, by: authorOf(by), at },
    failedAttempt: isOver ? undefined : { path, attempt, error, startedAt, endedAt: at, retryAt: at },
  }
}
