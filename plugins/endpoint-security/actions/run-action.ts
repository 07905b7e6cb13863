import type { Infer, SkillContext } from 'tocsin/plugin'
import type { actionOutput } from './action-fields.ts'
import { followAction } from './follow-action.ts'
import { findQueuedAction, queueAction, type QueuedAction } from './queue-action.ts'
import { hasSucceeded } from '../records/machine-action.ts'
import type { WantedAction } from './same-action.ts'

type ActionOutput = Infer<typeof actionOutput>

/** Queues the action, or reuses the pending one, and polls it for as long as the input asks. */
export async function runAction(
  wanted: WantedAction,
  waitSeconds: number,
  context: SkillContext,
): Promise<ActionOutput> {
  return await follow(await queueAction(wanted, context), waitSeconds, context)
}

/** The action that an attempt with unknown outcome queued; undefined if it queued nothing. */
export async function verifyAction(
  wanted: WantedAction,
  waitSeconds: number,
  context: SkillContext,
): Promise<ActionOutput | undefined> {
  const queued = await findQueuedAction(wanted, context)
  return queued && (await follow(queued, waitSeconds, context))
}

async function follow(
  { action, adopted }: QueuedAction,
  waitSeconds: number,
  context: SkillContext,
): Promise<ActionOutput> {
  const last = await followAction(action, waitSeconds * 1000, context)
  return { action: last, adopted, finished: hasSucceeded(last) }
}
