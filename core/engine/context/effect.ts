import type { DestructiveLimits, HeldUse } from '../../domain/destructive-use.ts'
import type { FailedAttempt, JournalEntry } from '../../domain/run.ts'
import type { JournalBegin } from '../../ports/runs/journal-store.ts'
import { CancelledError, TimeoutError } from '../../errors/errors.ts'
import { TocsinError } from '../../plugin/index.ts'
import { cancelled, GroupTimeoutError } from './attempt.ts'
import { RunSuspended, type EffectWork, type Outcome } from '../journal/durable-context.ts'
import { begun, end, failedOutcome, record, recordedOutcome, type LocalRun } from '../journal/local-run.ts'
import { delayBeforeNextTry } from './next-try.ts'
import { plainJson } from '../journal/plain-json.ts'
import { firstProgress, isHeldUp, progressAfter, type Progress } from '../journal/progress.ts'
import { isOutcomeUnknown, mayHaveHappened, withEffect } from './retry-class.ts'
import { toStoredError } from '../journal/stored-error.ts'
import { askOnceMore, standingEffect, tryOnce } from './try-once.ts'
import { lookUntil, waitUntil } from './wait-until.ts'

/** Intent before, result after; retried as the work says; a recorded result is given back. See `DurableContext.perform`. */
export async function perform(local: LocalRun, work: EffectWork): Promise<Outcome> {
  const entry = local.journal.entry(work.path)
  const recorded = recordedOutcome(entry)
  if (recorded) return recorded
  return entry ? await resume(local, work, entry) : await begin(local, work)
}

async function begin(local: LocalRun, work: EffectWork): Promise<Outcome> {
  const startedAt = local.clock.now()
  const intent = { ...begun(work), input: null as unknown, attempt: 1, startedAt }
  try {
    intent.input = plainJson(work.input())
    if (startedAt >= work.deadlineMs) throw new GroupTimeoutError()
    if (!work.shielded && local.cancel.aborted) throw cancelled()
  } catch (error) {
    return record(local, intent, failedOutcome(local, work, error))
  }
  const { destructive } = work
  const standing = destructive?.isAgain === true ? await standingEffect(local, work, intent.input) : undefined
  if (standing !== undefined) return record(local, intent, standing)
  const limits = destructive?.isApproved === true ? undefined : local.destructiveLimits
  const held = await local.journal.begin({ ...intent, ...recorded(work, intent.input, limits) })
  if (held !== undefined) {
    const known = destructive?.isAgain === true ? undefined : await standingEffect(local, work, intent.input)
    if (known !== undefined) return record(local, intent, known)
    throw new HeldBack(held, destructive?.shown(intent.input))
  }
  return await tryUntilEnded(local, work, intent.input, firstProgress())
}

/** The journal knows the intent and no result: a crash came between, or the process stopped while it waited to try again. */
async function resume(local: LocalRun, work: EffectWork, entry: JournalEntry): Promise<Outcome> {
  if (entry.state === 'unknown') return await untilDecided(local, work, entry)
  const progress = progressAfter(local.journal.failedAttempts(work.path), work, entry)
  if (entry.attempt >= progress.number) {
    const ended = await afterInterruption(local, work, entry, progress)
    if (ended) return ended
  }
  return await tryUntilEnded(local, work, entry.input, progress)
}

/** Lets the class of the work decide about a try that a crash cut off. */
async function afterInterruption(
  local: LocalRun,
  work: EffectWork,
  entry: JournalEntry,
  progress: Progress,
): Promise<Outcome | undefined> {
  if (work.interrupted === 'ask') {
    await local.journal.park(work.path)
    return await untilDecided(local, work, entry)
  }
  if (work.interrupted === 'skip') {
    const skipped: Outcome = { state: 'skipped', output: null, endedAt: local.clock.now() }
    return end(local, work, skipped, progress.number)
  }
  const error = interruptedError(work)
  if (work.interrupted === 'fail' || local.givesUp) return fail(local, work, error, progress)
  noteFailedAttempt(local, work, progress, error, entry.startedAt, 0)
  progress.doubtful = true
  return undefined
}

/** Waits for a person to say what became of the step, and goes on from there. */
async function untilDecided(local: LocalRun, work: EffectWork, entry: JournalEntry): Promise<Outcome> {
  let decided: JournalEntry | undefined
  try {
    decided = await lookUntil(local, work, Infinity, async () => {
      const now = await local.journal.refresh(work.path)
      return now?.state === 'unknown' ? undefined : now
    })
  } catch (error) {
    // The time of the group, or the run, is over: whatever the step did.
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
): Promise<Outcome> {
  for (;;) {
    const waited = await caught(() => waitForTurn(local, work, progress))
    if ('error' in waited) return fail(local, work, waited.error, progress)
    if (progress.number > progress.begun) await beginAgain(local, work, input, progress)

    const startedAt = local.clock.now()
    const tried = await caught(() => tryOnce(local, work, input, progress))
    if ('value' in tried) {
      const { value: output } = tried
      const outcome: Outcome = { state: 'completed', output, endedAt: local.clock.now() }
      const changedNothing =
        progress.wasDoneEarlier === true || work.destructive?.changedNothing?.(output) === true
      return end(local, work, outcome, progress.number, changedNothing && !progress.doubtful)
    }
    const delayMs = delayBeforeNextTry(local, work, progress, tried.error)
    if (delayMs === undefined)
      return await endAfterError(local, work, input, progress, tried.error, startedAt)
    if (!isHeldUp(tried.error)) progress.failures++
    progress.doubtful ||= mayHaveHappened(tried.error)
    noteFailedAttempt(local, work, progress, tried.error, startedAt, delayMs)
  }
}

/** No further try follows. What may have taken effect all the same is asked about, if there is anybody to ask. */
async function endAfterError(
  local: LocalRun,
  work: EffectWork,
  input: unknown,
  progress: Progress,
  error: unknown,
  startedAt: number,
): Promise<Outcome> {
  const isOver = error instanceof GroupTimeoutError || error instanceof CancelledError
  const isUnknown = progress.doubtful || isOutcomeUnknown(error)
  if (isOver || !isUnknown || work.interrupted === 'repeat') return fail(local, work, error, progress)
  const { verify, path } = work
  if (verify !== undefined) {
    const looked = await caught(() => askOnceMore(local, work, verify, input, progress))
    if ('value' in looked && looked.value !== undefined) {
      const outcome: Outcome = { state: 'completed', output: looked.value, endedAt: local.clock.now() }
      return end(local, work, outcome, progress.number)
    }
    if ('value' in looked) return fail(local, work, withEffect(error, 'none'), progress)
  }
  const unknown = withEffect(error, 'unknown')
  if (work.interrupted !== 'ask') return fail(local, work, unknown, progress)
  await local.journal.park(path, failedAttempt(local, work, progress, unknown, startedAt, 0))
  const parked = await local.journal.refresh(path)
  return parked === undefined ? fail(local, work, unknown, progress) : await untilDecided(local, work, parked)
}

/** The result of `work`, or what it threw; a run that stops here is neither. */
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

async function waitForTurn(local: LocalRun, work: EffectWork, progress: Progress): Promise<void> {
  if (progress.readyAtMs > local.clock.now()) await waitUntil(local, work, progress.readyAtMs)
}

/** The intent of a further try. */
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

/** `limits`: of the first try, if nobody has approved it; what has begun is not held back. */
function recorded(
  { destructive }: EffectWork,
  input: unknown,
  limits: DestructiveLimits | undefined,
): Pick<JournalBegin, 'destructive'> {
  if (destructive === undefined) return {}
  return { destructive: { class: destructive.class, input: destructive.shown(input), limits } }
}

/** The use of a destructive skill that needs a person first. Nothing of it was recorded. */
export class HeldBack extends Error {
  readonly use: HeldUse
  /** As it may be shown. */
  readonly input: unknown

  constructor(use: HeldUse, input: unknown) {
    super('the use is held back')
    this.use = use
    this.input = input
  }
}

/** Records that a try failed and moves on to the next. */
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

function fail(local: LocalRun, work: EffectWork, error: unknown, progress: Progress): Outcome {
  const changedNothing = !progress.doubtful && !mayHaveHappened(error)
  return end(local, work, failedOutcome(local, work, error), progress.number, changedNothing)
}

function interruptedError({ interrupted, kind }: EffectWork): TocsinError {
  const hint =
    interrupted === 'fail'
      ? 'nobody knows whether it took effect: look at the other system'
      : 'where this ends the step, it was given up: the process stopped while nothing else was under way'
  return new TocsinError('step_interrupted', `the process stopped while '${kind}' was under way`, { hint })
}
