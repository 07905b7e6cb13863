import type { DestructiveOutcome } from '../../destructive/containment.ts'
import type { FailedAttempt, JournalEntry } from '../../domain/run.ts'
import type { UseChecks } from '../../ports/runs/destructive-use-store.ts'
import type { JournalBegin } from '../../ports/runs/journal-store.ts'
import { CancelledError, TimeoutError } from '../../errors/errors.ts'
import { TocsinError } from '../../plugin/index.ts'
import { ApprovalRequiredError, cancelled, GroupTimeoutError } from './attempt.ts'
import { RunSuspended, type EffectWork, type WorkOutcome } from '../journal/durable-context.ts'
import {
  begun,
  end,
  failedOutcome,
  recordOutcome,
  recordedOutcome,
  type LocalRun,
} from '../journal/local-run.ts'
import { delayBeforeNextTry } from './next-try.ts'
import { plainJson } from '../journal/plain-json.ts'
import { firstProgress, isHeldUp, progressAfter, type Progress } from '../journal/progress.ts'
import { changedBefore, isOutcomeUnknown, mayHaveHappened, withEffect } from './retry-class.ts'
import { toStoredError } from '../journal/stored-error.ts'
import { askOnceMore, standingEffect, tryOnce } from './try-once.ts'
import { lookUntil, waitUntil } from './wait-until.ts'

/** Records the intent, performs with retries, and records the result. See `DurableContext.perform`. */
export async function perform(local: LocalRun, work: EffectWork): Promise<WorkOutcome> {
  const entry = local.journal.entry(work.path)
  const recorded = recordedOutcome(entry)
  if (recorded) return recorded
  return entry ? await resume(local, work, entry) : await begin(local, work)
}

async function begin(local: LocalRun, work: EffectWork): Promise<WorkOutcome> {
  const startedAt = local.clock.now()
  const intent = { ...begun(work), input: null as unknown, attempt: 1, startedAt }
  try {
    intent.input = plainJson(work.input())
    if (startedAt >= work.deadlineMs) throw new GroupTimeoutError()
    if (!work.shielded && local.cancel.aborted) throw cancelled()
  } catch (error) {
    return recordOutcome(local, intent, failedOutcome(local, work, error))
  }
  const { destructive } = work
  const standing = destructive?.isAgain === true ? await standingEffect(local, work, intent.input) : undefined
  if (standing !== undefined) return recordOutcome(local, intent, standing, foundCall(work, intent.input))
  const held = await local.journal.begin({
    ...intent,
    ...recorded(work, intent.input, checksOf(local, work)),
  })
  if (held !== undefined) {
    const known = destructive?.isAgain === true ? undefined : await standingEffect(local, work, intent.input)
    if (known !== undefined) return recordOutcome(local, intent, known, foundCall(work, intent.input))
    throw new ApprovalRequiredError(held)
  }
  return await tryUntilEnded(local, work, intent.input, firstProgress())
}

/** Continues from an intent without a result: after a crash, or a stop during a backoff. */
async function resume(local: LocalRun, work: EffectWork, entry: JournalEntry): Promise<WorkOutcome> {
  if (entry.state === 'unknown') return await untilDecided(local, work, entry)
  const progress = progressAfter(local.journal.failedAttempts(work.path), work, entry)
  if (entry.attempt >= progress.number) {
    const ended = await afterInterruption(local, work, entry, progress)
    if (ended) return ended
  }
  return await tryUntilEnded(local, work, entry.input, progress)
}

/** Handles an attempt that a crash interrupted, as the work declares. */
async function afterInterruption(
  local: LocalRun,
  work: EffectWork,
  entry: JournalEntry,
  progress: Progress,
): Promise<WorkOutcome | undefined> {
  if (work.interrupted === 'ask') {
    await local.journal.park(work.path, undefined, callOf(work, entry.input))
    return await untilDecided(local, work, entry)
  }
  if (work.interrupted === 'skip') {
    const skipped: WorkOutcome = { state: 'skipped', output: null, endedAt: local.clock.now() }
    return endCall(local, work, callOf(work, entry.input), skipped, progress.number)
  }
  const error = interruptedError(work)
  if (work.interrupted === 'fail' || local.failsInterrupted)
    return fail(local, work, entry.input, error, progress, false)
  noteFailedAttempt(local, work, progress, error, entry.startedAt, 0)
  progress.doubtful = true
  return undefined
}

/** Waits until a person decides the outcome, and continues from there. */
async function untilDecided(local: LocalRun, work: EffectWork, entry: JournalEntry): Promise<WorkOutcome> {
  let decided: JournalEntry | undefined
  try {
    decided = await lookUntil(local, work, Infinity, async () => {
      const now = await local.journal.refresh(work.path)
      return now?.state === 'unknown' ? undefined : now
    })
  } catch (error) {
    // The deadline passed or the run was cancelled; the effect of the step stays unknown.
    if (!(error instanceof TimeoutError) && !(error instanceof CancelledError)) throw error
    return end(local, work, failedOutcome(local, work, error), entry.attempt)
  }
  return recordedOutcome(decided) ?? (await resume(local, work, decided ?? entry))
}

async function tryUntilEnded(
  local: LocalRun,
  work: EffectWork,
  input: unknown,
  progress: Progress,
): Promise<WorkOutcome> {
  for (;;) {
    if (progress.readyAtMs > local.clock.now()) {
      const waited = await caught(() => waitUntil(local, work, progress.readyAtMs))
      if ('error' in waited) return fail(local, work, input, waited.error, progress, !progress.doubtful)
    }
    if (progress.number > progress.begun) await beginAgain(local, work, input, progress)

    const startedAt = local.clock.now()
    const tried = await caught(() => tryOnce(local, work, input, progress))
    if ('value' in tried) {
      const { value: output } = tried
      const outcome: WorkOutcome = { state: 'completed', output, endedAt: local.clock.now() }
      const changedNothing =
        progress.wasDoneEarlier === true || work.destructive?.changedNothing?.(output) === true
      const call = callOf(work, input, output)
      return endCall(local, work, call, outcome, progress.number, changedNothing && !progress.doubtful)
    }
    const delayMs = delayBeforeNextTry(local, work, progress, tried.error)
    if (delayMs === undefined)
      return await endAfterError(local, work, input, progress, tried.error, startedAt)
    if (!isHeldUp(tried.error)) progress.failures++
    progress.doubtful ||= mayHaveHappened(tried.error)
    noteFailedAttempt(local, work, progress, tried.error, startedAt, delayMs)
  }
}

/** Ends the step after its last attempt. If the effect is unknown, verifies it or lets a person decide. */
async function endAfterError(
  local: LocalRun,
  work: EffectWork,
  input: unknown,
  progress: Progress,
  error: unknown,
  startedAt: number,
): Promise<WorkOutcome> {
  const isOver = error instanceof GroupTimeoutError || error instanceof CancelledError
  const isUnknown = progress.doubtful || isOutcomeUnknown(error)
  if (isOver || !isUnknown || work.interrupted === 'repeat') return fail(local, work, input, error, progress)
  const { verify, path } = work
  if (verify !== undefined) {
    const looked = await caught(() => askOnceMore(local, work, verify, input, progress))
    if ('value' in looked && looked.value !== undefined) {
      const outcome = { state: 'completed', output: looked.value, endedAt: local.clock.now() } as const
      return endCall(local, work, callOf(work, input, outcome.output), outcome, progress.number)
    }
    if ('value' in looked) return fail(local, work, input, withEffect(error, 'none'), progress, true)
  }
  const unknown = withEffect(error, 'unknown')
  if (work.interrupted !== 'ask') return fail(local, work, input, unknown, progress)
  const failed = failedAttempt(local, work, progress, unknown, startedAt, 0)
  await local.journal.park(path, failed, callOf(work, input))
  const parked = await local.journal.refresh(path)
  return parked === undefined
    ? fail(local, work, input, unknown, progress)
    : await untilDecided(local, work, parked)
}

/** The result or the error of `work`; RunSuspended is rethrown. */
async function caught<T>(
  work: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly error: unknown }> {
  try {
    return { value: await work() }
  } catch (error) {
    if (error instanceof RunSuspended) throw error
    return { error }
  }
}

/** Records the intent of a further attempt. */
async function beginAgain(
  local: LocalRun,
  work: EffectWork,
  input: unknown,
  progress: Progress,
): Promise<void> {
  const intent = { ...begun(work), input, attempt: progress.number, startedAt: local.clock.now() }
  await local.journal.begin({ ...intent, ...recorded(work, input, undefined) })
  progress.begun = intent.attempt
}

/** What may hold back a first attempt; undefined: nothing. */
function checksOf(
  { destructiveLimits: limits, approvalRules: rules }: LocalRun,
  { destructive }: EffectWork,
): UseChecks | undefined {
  if (limits === undefined || destructive === undefined || destructive.approved === 'use') return undefined
  return {
    limits,
    rules,
    implements: destructive.implements,
    isRestApproved: destructive.approved === 'rest',
  }
}

/** @param checks for a first attempt without approval; an attempt that has begun is never held back */
function recorded(
  { destructive }: EffectWork,
  input: unknown,
  checks: UseChecks | undefined,
): Pick<JournalBegin, 'destructive'> {
  if (destructive === undefined) return {}
  return { destructive: { class: destructive.class, input: destructive.shown(input), checks } }
}

/** Records a failed attempt and prepares the next. */
function noteFailedAttempt(
  local: LocalRun,
  work: EffectWork,
  progress: Progress,
  error: unknown,
  startedAt: number,
  delayMs: number,
): void {
  const failed = failedAttempt(local, work, progress, error, startedAt, delayMs)
  local.journal.attemptFailed(failed)
  progress.number++
  progress.readyAtMs = failed.retryAt
}

function failedAttempt(
  local: LocalRun,
  { path }: EffectWork,
  { number }: Progress,
  error: unknown,
  startedAt: number,
  delayMs: number,
): FailedAttempt {
  const endedAt = local.clock.now()
  const stored = toStoredError(error, local.log, { run: local.uuid, path })
  return { path, attempt: number, error: stored, startedAt, endedAt, retryAt: endedAt + delayMs }
}

function fail(
  local: LocalRun,
  work: EffectWork,
  input: unknown,
  error: unknown,
  progress: Progress,
  isRefused = !progress.doubtful && isRefusal(error),
): WorkOutcome {
  const call = isRefused ? refusedCall(work, input) : callOf(work, input)
  const changedNothing = isRefused && !changedBefore(error)
  return endCall(local, work, call, failedOutcome(local, work, error), progress.number, changedNothing)
}

/** A refused call has no effect, but a call that was cancelled while it was running may have one. */
const isRefusal = (error: unknown): boolean =>
  !isOutcomeUnknown(error) && !(error instanceof CancelledError && mayHaveHappened(error))

/** Records the result of a call, and of a destructive one what undoes it. */
function endCall(
  local: LocalRun,
  work: EffectWork,
  call: DestructiveOutcome | undefined,
  outcome: WorkOutcome,
  attempt: number,
  changedNothing = false,
): WorkOutcome {
  return end(local, work, outcome, attempt, {
    ...(changedNothing && { changedNothing }),
    ...(call && { call }),
  })
}

const callOf = ({ destructive }: EffectWork, input: unknown, output?: unknown) =>
  destructive?.outcome?.(input, output)

function interruptedError({ interrupted, kind }: EffectWork): TocsinError {
  const hint =
    interrupted === 'fail'
      ? 'its effect is unknown: check the other system'
      : 'the step may crash the process: it was the only one running when the process stopped'
  return new TocsinError('step_interrupted', `the process stopped while '${kind}' was running`, { hint })
}

const refusedCall = (work: EffectWork, input: unknown): DestructiveOutcome | undefined => {
  const call = foundCall(work, input)
  return call && { ...call, isRefused: true }
}

/** A call that did not contain: its effect existed before, or it had none. */
const foundCall = (work: EffectWork, input: unknown): DestructiveOutcome | undefined => {
  const call = callOf(work, input)
  return call && { connection: call.connection }
}
