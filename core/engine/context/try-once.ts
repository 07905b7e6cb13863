import { isDeepStrictEqual } from 'node:util'
import { runAttempt } from './attempt.ts'
import {
  RunSuspended,
  type EffectAttempt,
  type EffectWork,
  type Outcome,
} from '../journal/durable-context.ts'
import type { LocalRun } from '../journal/local-run.ts'
import { keyOf } from '../journal/paths.ts'
import { plainJson } from '../journal/plain-json.ts'
import type { Progress } from '../journal/progress.ts'

/** Asks first where an earlier try may have taken effect and the other system can tell: one of this run, or of a run that it goes on from. */
export async function tryOnce(
  local: Pick<LocalRun, 'uuid' | 'clock' | 'cancel' | 'stop' | 'earlierTries'>,
  work: EffectWork,
  input: unknown,
  progress: Progress,
): Promise<unknown> {
  const call = async (attempt: EffectAttempt) => {
    // `repeat` is what the author of the playbook wants done without asking.
    if (work.verify !== undefined && work.interrupted !== 'repeat') {
      const done = await findDone(local, work, work.verify, input, progress, attempt)
      if (done !== undefined) return plainJson(done)
    }
    return plainJson(await work.run(input, attempt))
  }
  return await attemptOf(local, work, progress.number, call)
}

/** After the last try, where it ended in doubt: the output of what took place all the same; undefined where nothing did. */
export async function askOnceMore(
  local: Pick<LocalRun, 'uuid' | 'clock' | 'cancel' | 'stop' | 'earlierTries'>,
  work: EffectWork,
  verify: NonNullable<EffectWork['verify']>,
  input: unknown,
  progress: Progress,
): Promise<unknown> {
  progress.doubtful = true
  const call = async (attempt: EffectAttempt) => {
    const done = await findDone(local, work, verify, input, progress, attempt)
    return done === undefined ? undefined : plainJson(done)
  }
  return await attemptOf(local, work, progress.number, call)
}

/**
 * The outcome of an effect that is there although this step has not tried it; undefined where nobody can tell. Whoever asks has other ways
 * to go on, so that an error of the other system says nothing.
 */
export async function standingEffect(
  local: Pick<LocalRun, 'uuid' | 'clock' | 'cancel' | 'stop'>,
  work: EffectWork,
  input: unknown,
): Promise<Outcome | undefined> {
  const { verify } = work
  if (verify === undefined) return undefined
  try {
    const output = await attemptOf(local, work, 1, (attempt) => verify(input, attempt))
    if (output === undefined) return undefined
    return { state: 'completed', output: plainJson(output), endedAt: local.clock.now() }
  } catch (error) {
    if (error instanceof RunSuspended) throw error
    return undefined
  }
}

async function attemptOf<T>(
  local: Pick<LocalRun, 'uuid' | 'clock' | 'cancel' | 'stop'>,
  work: EffectWork,
  number: number,
  call: (attempt: EffectAttempt) => Promise<T>,
): Promise<T> {
  const cancel = work.shielded ? undefined : local.cancel
  const limits = { timeoutMs: work.timeoutMs, deadlineMs: work.deadlineMs, cancel, stop: local.stop }
  const identity = { number, idempotencyKey: keyOf(local.uuid, work.path) }
  return await runAttempt(call, identity, limits, local.clock)
}

/** The output of an effect that took place already; undefined where there is none. */
async function findDone(
  local: Pick<LocalRun, 'earlierTries'>,
  work: EffectWork,
  verify: NonNullable<EffectWork['verify']>,
  input: unknown,
  progress: Progress,
  attempt: EffectAttempt,
): Promise<unknown> {
  const keys = progress.isFirst ? [] : await earlierKeys(local, work, input)
  const own = attempt.idempotencyKey
  if (progress.doubtful) keys.push(own)
  for (const idempotencyKey of keys) {
    const output = await verify(input, { ...attempt, idempotencyKey })
    if (output !== undefined) {
      progress.wasDoneEarlier = idempotencyKey !== own
      return output
    }
    attempt.signal.throwIfAborted()
  }
  progress.isFirst = true
  progress.doubtful = false
  return undefined
}

/** Under which the same was tried by the runs that this one goes on from. Another input is another effect. */
async function earlierKeys(
  local: Pick<LocalRun, 'earlierTries'>,
  work: EffectWork,
  input: unknown,
): Promise<string[]> {
  const tries = await local.earlierTries()
  return tries
    .filter(({ path, kind }) => path === work.path && kind === work.kind)
    .filter((each) => isDeepStrictEqual(each.input, input))
    .map(({ runUuid, path }) => keyOf(runUuid, path))
}
