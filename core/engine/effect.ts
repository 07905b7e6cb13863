import type { JournalEntry } from '../domain/run.ts'
import type { JournalBegin } from '../ports.ts'
import { CancelledError, TimeoutError, UnavailableError } from '../errors/errors.ts'
import { RetryableError, TocsinError } from '../plugin/index.ts'
import { cancelled, GroupTimeoutError, runAttempt } from './attempt.ts'
import { retryDelayMs } from './backoff.ts'
import { RunSuspended, type EffectAttempt, type EffectWork, type Outcome } from './durable-context.ts'
import { end, failedOutcome, record, recordedOutcome, type LocalRun } from './local-run.ts'
import { plainJson } from './plain-json.ts'
import { isOverBudget, isRetriedOn, mayHaveHappened } from './retry-class.ts'
import { toStoredError } from './stored-error.ts'
import { lookUntil, waitUntil } from './wait-until.ts'

/** The code of a store that cannot be used for the time being. */
const ownStoreUnavailable = 'store_unavailable'

/** Where an effect stands: what the next try has to know. */
interface Progress {
  /** The next try, from 1. */
  number: number
  /** The try whose intent is recorded. */
  begun: number
  /** Tries that failed by an error, as opposed to a crash. */
  failures: number
  /** When the next try may start, epoch milliseconds. */
  readyAtMs: number
  /** An earlier try may have taken effect. */
  doubtful: boolean
}

/** Intent before, result after; retried as the work says; a recorded result is given back. See `DurableContext.perform`. */
export async function perform(local: LocalRun, work: EffectWork): Promise<Outcome> {
  const entry = local.journal.entry(work.path)
  const recorded = recordedOutcome(entry)
  if (recorded) return recorded
  return entry ? await resume(local, work, entry) : await begin(local, work)
}

async function begin(local: LocalRun, work: EffectWork): Promise<Outcome> {
  const { path, stepId, kind } = work
  const startedAt = local.clock.now()
  const intent = { path, stepId, kind, input: null as unknown, attempt: 1, startedAt }
  try {
    intent.input = plainJson(work.input())
    if (startedAt >= work.deadlineMs) throw new GroupTimeoutError()
    if (!work.shielded && local.cancel.aborted) throw cancelled()
  } catch (error) {
    return record(local, intent, failedOutcome(local, work, error))
  }
  await local.journal.begin({ ...intent, ...recorded(work, intent.input) })
  const progress: Progress = {
    number: 1,
    begun: 1,
    failures: 0,
    readyAtMs: 0,
    doubtful: false,
  }
  return await tryUntilEnded(local, work, intent.input, progress)
}

/** The journal knows the intent and no result: a crash came between, or the process stopped while it waited to try again. */
async function resume(local: LocalRun, work: EffectWork, entry: JournalEntry): Promise<Outcome> {
  if (entry.state === 'unknown') return await untilDecided(local, work, entry)
  const failed = local.journal.failedAttempts(work.path)
  const last = failed.at(-1)
  const crashes = failed.filter((attempt) => attempt.error.code === 'step_interrupted').length
  const heldUp = failed.filter(
    ({ error }) => error.code === ownStoreUnavailable || isOverBudget(error),
  ).length
  const progress: Progress = {
    number: (last?.attempt ?? 0) + 1,
    begun: entry.attempt,
    failures: failed.length - crashes - heldUp,
    readyAtMs: last?.retryAt ?? 0,
    doubtful: failed.some((attempt) => mayHaveHappened(attempt.error)),
  }
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
    return end(local, work.path, skipped, progress.number)
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
    return end(local, work.path, failedOutcome(local, work, error), entry.attempt)
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
      const outcome: Outcome = { state: 'completed', output: tried.value, endedAt: local.clock.now() }
      return end(local, work.path, outcome, progress.number)
    }
    const delayMs = delayBeforeNextTry(local, work, progress, tried.error)
    if (delayMs === undefined) return fail(local, work, tried.error, progress)
    if (!isOwnStore(tried.error) && !isOverBudget(tried.error)) progress.failures++
    progress.doubtful ||= mayHaveHappened(tried.error)
    noteFailedAttempt(local, work, progress, tried.error, startedAt, delayMs)
  }
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
  const { path, stepId, kind } = work
  const intent = { path, stepId, kind, input, attempt: progress.number, startedAt: local.clock.now() }
  await local.journal.begin({ ...intent, ...recorded(work, input) })
  progress.begun = intent.attempt
}

function recorded({ shown }: EffectWork, input: unknown): Pick<JournalBegin, 'destructive'> {
  return shown === undefined ? {} : { destructive: { input: shown(input) } }
}

/** Asks first where an earlier try may have taken effect and the other system can tell. */
async function tryOnce(
  local: LocalRun,
  work: EffectWork,
  input: unknown,
  progress: Progress,
): Promise<unknown> {
  const call = async (attempt: EffectAttempt) => {
    if (work.interrupted === 'verify' && progress.doubtful && work.verify) {
      const done = await work.verify(input, attempt)
      if (done !== undefined) return plainJson(done)
      attempt.signal.throwIfAborted()
      progress.doubtful = false
    }
    return plainJson(await work.run(input, attempt))
  }
  const cancel = work.shielded ? undefined : local.cancel
  const limits = { timeoutMs: work.timeoutMs, deadlineMs: work.deadlineMs, cancel, stop: local.stop }
  const identity = { number: progress.number, idempotencyKey: idempotencyKey(local.uuid, work.path) }
  return await runAttempt(call, identity, limits, local.clock)
}

/** Run and path; the same on every try and after every restart. */
function idempotencyKey(runUuid: string, path: string): string {
  return `${runUuid}/${path}`
}

/** Undefined: there is no next try. */
function delayBeforeNextTry(
  local: LocalRun,
  work: EffectWork,
  progress: Progress,
  error: unknown,
): number | undefined {
  if (!mayRepeat(work) && mayHaveHappened(error)) return undefined
  const delayMs = delayWhenHeldUp(progress, error) ?? delayAfterFailure(local, work, progress, error)
  if (delayMs === undefined) return undefined
  return local.clock.now() + delayMs < work.deadlineMs ? delayMs : undefined
}

function delayAfterFailure(
  local: LocalRun,
  { retry, path }: EffectWork,
  progress: Progress,
  error: unknown,
): number | undefined {
  const passes = error instanceof RetryableError || error instanceof TimeoutError
  if (!passes || error instanceof GroupTimeoutError || !isRetriedOn(retry.on, error.code)) return undefined
  if (progress.failures >= retry.max) return undefined
  const retryAfterMs = error instanceof RetryableError ? error.retryAfterMs : undefined
  return retryDelayMs(retry, progress.failures + 1, retryAfterMs, idempotencyKey(local.uuid, path))
}

/** Undefined: it was a failure of the step. */
function delayWhenHeldUp(progress: Progress, error: unknown): number | undefined {
  if (isOwnStore(error)) return storeWaitMs(progress.number)
  if (!(error instanceof RetryableError) || !isOverBudget(error)) return undefined
  return Math.min(error.retryAfterMs ?? 0, maxTurnWaitMs)
}

/** A connection whose budget is used up says when to come back; the budget may have changed by then. */
const maxTurnWaitMs = 5 * 60_000

/**
 * Our own store could not take or give what the skill wanted, e.g. a change of a case on a full disk. That is no failure of the
 * step: as with writes of the journal, it is tried until the store works again, or the time of the run is up.
 */
const isOwnStore = (error: unknown): boolean =>
  error instanceof UnavailableError && error.code === ownStoreUnavailable

const storeWaitMs = (tries: number): number => Math.min(1000 * 2 ** (tries - 1), 30_000)

const mayRepeat = ({ mayRepeat, interrupted }: EffectWork): boolean =>
  mayRepeat ?? (interrupted === 'repeat' || interrupted === 'verify')

/** Records that a try failed and moves on to the next. */
function noteFailedAttempt(
  local: LocalRun,
  work: EffectWork,
  progress: Progress,
  error: unknown,
  startedAt: number,
  delayMs: number,
): void {
  const endedAt = local.clock.now()
  const retryAt = endedAt + delayMs
  const stored = toStoredError(error, local.log, { run: local.uuid, path: work.path })
  local.journal.attemptFailed({
    path: work.path,
    attempt: progress.number,
    error: stored,
    startedAt,
    endedAt,
    retryAt,
  })
  progress.number++
  progress.readyAtMs = retryAt
}

function fail(local: LocalRun, work: EffectWork, error: unknown, progress: Progress): Outcome {
  return end(local, work.path, failedOutcome(local, work, error), progress.number)
}

function interruptedError({ interrupted, kind }: EffectWork): TocsinError {
  const hint =
    interrupted === 'fail'
      ? 'nobody knows whether it took effect: look at the other system'
      : 'where this ends the step, it was given up: the process stopped while nothing else was under way'
  return new TocsinError('step_interrupted', `the process stopped while '${kind}' was under way`, { hint })
}
