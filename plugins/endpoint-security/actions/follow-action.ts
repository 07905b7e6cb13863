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
/** Time kept in reserve at the end of the call for the last poll and the download link. */
const reserveMs = 10_000

/** Clock and delay; tests pass their own. */
export interface ActionTime {
  /** Epoch milliseconds. */
  now(): number
  pause(ms: number, signal: AbortSignal): Promise<void>
}

const realTime: ActionTime = {
  now: () => Date.now(),
  async pause(ms, signal) {
    await sleep(ms, undefined, { signal })
  },
}

/**
 * Polls until the action ends or the time is up, with growing delays and never beyond the call's own
 * deadline. Returns the last state seen: a pending action is no failure. A failed poll is no failure either,
 * since the action is already queued; a 404 is retried because a new action may not be visible yet.
 *
 * @throws SkillError `action_failed` if the action ended as Failed, TimeOut or Cancelled
 */
export async function followAction(
  queued: MachineAction,
  forMs: number,
  context: Pick<SkillContext, 'http' | 'log' | 'signal' | 'deadlineMs'>,
  time: ActionTime = realTime,
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

/** Undefined if another poll may succeed; `hidden` if the application lacks permission to read actions. */
async function look(
  { id }: MachineAction,
  { http, log, signal }: Pick<SkillContext, 'http' | 'log' | 'signal'>,
): Promise<MachineAction | 'hidden' | undefined> {
  try {
    return await readRecord(http, actionPath(id), actionsPermission, decodeMachineAction)
  } catch (error) {
    if (signal.aborted || !(error instanceof TocsinError)) throw error
    log.warn('cannot read the state of the action', { action: id, why: error.message })
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
      hint: 'see the action centre of the portal; queue it again when the cause is fixed',
      details: { action_id: id, status },
    },
  )
}
