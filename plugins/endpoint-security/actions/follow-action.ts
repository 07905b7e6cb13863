import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectionError, SkillError, TocsinError, type SkillContext } from 'tocsin/plugin'
import { actionPath } from '../lists/ids.ts'
import { actionsPermission } from '../permissions.ts'
import { readRecord } from '../lists/read-record.ts'
import {
  decodeMachineAction,
  hasFailed,
  hasSucceeded,
  type MachineAction,
} from '../records/machine-action.ts'

const firstPauseMs = 5_000
const longestPauseMs = 60_000
const growth = 1.5
/** Of the call's time: for the last look, and a link to what came of the action. */
const reserveMs = 10_000

/** How time passes; tests have their own. */
export interface Time {
  /** Epoch milliseconds. */
  now(): number
  pause(ms: number, signal: AbortSignal): Promise<void>
}

const realTime: Time = {
  now: () => Date.now(),
  async pause(ms, signal) {
    await sleep(ms, undefined, { signal })
  },
}

/**
 * Asks again and again until the action has ended or the time is up, with growing pauses and never beyond the call's own time, and gives it as it was seen last: an
 * action that is still pending is no failure. Neither is an answer that cannot be had, since the action is queued already: not found is
 * asked again, the vendor may not show yet what it has just queued.
 *
 * @throws SkillError `action_failed` where the action ended as Failed, TimeOut or Cancelled
 */
export async function followAction(
  queued: MachineAction,
  forMs: number,
  context: Pick<SkillContext, 'http' | 'log' | 'signal' | 'deadlineMs'>,
  time: Time = realTime,
): Promise<MachineAction> {
  let action = queued
  const untilMs = Math.min(time.now() + forMs, context.deadlineMs - reserveMs)
  let pauseMs = firstPauseMs
  while (!hasSucceeded(action) && !hasFailed(action)) {
    const leftMs = untilMs - time.now()
    if (leftMs <= 0) break
    await time.pause(Math.min(pauseMs, leftMs), context.signal)
    pauseMs = Math.min(pauseMs * growth, longestPauseMs)
    const seen = await look(action, context)
    if (seen === 'hidden') break
    action = seen ?? action
  }
  if (hasFailed(action)) throw actionFailed(action)
  return action
}

/** Undefined where another look may help, `hidden` where the application may not look: none will. */
async function look(
  { id }: MachineAction,
  { http, log, signal }: Pick<SkillContext, 'http' | 'log' | 'signal'>,
): Promise<MachineAction | 'hidden' | undefined> {
  try {
    return await readRecord(http, actionPath(id), actionsPermission, decodeMachineAction)
  } catch (error) {
    if (signal.aborted || !(error instanceof TocsinError)) throw error
    log.warn('cannot see how the action goes on', { action: id, why: error.message })
    return error instanceof ConnectionError ? 'hidden' : undefined
  }
}

function actionFailed({ id, type, status, machineId, commands }: MachineAction): SkillError {
  const errors = commands.flatMap((command) => command.errors)
  const why = errors.length === 0 ? '' : `: ${errors.join('; ').slice(0, 300)}`
  return new SkillError(
    'action_failed',
    `${type ?? 'the action'} on machine ${machineId ?? ''} ended as ${status}${why}`,
    {
      hint: 'the portal’s action centre says more; queue it again once the cause is gone',
      details: { action_id: id, status },
    },
  )
}
