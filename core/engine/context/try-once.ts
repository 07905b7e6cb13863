import { isDeepStrictEqual } from 'node:util'
import { runAttempt } from './attempt.ts'
import {
  RunSuspended,
  type EffectAttempt,
  type EffectWork,
  type WorkOutcome,
} from '../journal/durable-context.ts'
import type { Lease } from '../../ports/nodes/lease.ts'
import type { LocalRun } from '../journal/local-run.ts'
import { keyOf } from '../journal/paths.ts'
import { plainJson } from '../journal/plain-json.ts'
import type { Progress } from '../journal/progress.ts'

type CallingRun = Pick<LocalRun, 'uuid' | 'clock' | 'cancel' | 'stop' | 'lease'>

/** Makes one attempt. Verifies first if an earlier attempt, of this run or a retried one, may have taken effect. */
export function tryOnce(
  local: CallingRun & Pick<LocalRun, 'earlierTries'>,
  work: EffectWork,
  input: unknown,
  progress: Progress,
): Promise<unknown> {
  const call = async (attempt: EffectAttempt) => {
    // With `repeat`, the playbook author wants no verification.
    if (work.verify !== undefined && work.interrupted !== 'repeat') {
      const done = await findDone(local, work, work.verify, input, progress, attempt)
      if (done !== undefined) return plainJson(done)
    }
    return plainJson(await work.run(input, attempt))
  }
  return attemptOf(local, work, progress.number, call)
}

/** Verifies after the last attempt with unknown effect: the output if it took effect, else undefined. */
export async function askOnceMore(
  local: CallingRun & Pick<LocalRun, 'earlierTries'>,
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
 * The outcome if `verify` finds the effect before any attempt; undefined if not or if unknown. Errors are ignored:
 * the caller continues without it.
 */
export async function standingEffect(
  local: CallingRun,
  work: EffectWork,
  input: unknown,
): Promise<WorkOutcome | undefined> {
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
  local: CallingRun,
  work: EffectWork,
  number: number,
  call: (attempt: EffectAttempt) => Promise<T>,
): Promise<T> {
  if (local.lease?.isHeld() === false) await leaseHeld(local, local.lease)
  const cancel = work.shielded ? undefined : local.cancel
  const limits = { timeoutMs: work.timeoutMs, deadlineMs: work.deadlineMs, cancel, stop: local.stop }
  const identity = { number, idempotencyKey: keyOf(local.uuid, work.path) }
  return await runAttempt(call, identity, limits, local.clock)
}

/** In milliseconds. */
const lookForLeaseEvery = 200

/** Another process may have taken over; if not, the lease is renewed. Rejects with RunSuspended when the turn is over. */
async function leaseHeld({ clock, stop }: CallingRun, lease: Lease): Promise<void> {
  while (!lease.isHeld()) {
    await clock.sleep(lookForLeaseEvery, stop).catch(() => {
      throw new RunSuspended()
    })
  }
}

/** The output if an earlier attempt took effect, else undefined. */
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

/**
 * Keys of the attempts of retried runs with the same input, because a different input has a
 * different effect.
 */
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
