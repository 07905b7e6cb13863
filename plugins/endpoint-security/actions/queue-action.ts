import {
  ConnectionError,
  pathText,
  RetryableError,
  type HttpResponse,
  type SkillContext,
} from 'tocsin/plugin'
import { commentWith, referenceOf } from './action-reference.ts'
import { findActions, findOpenActions } from './find-actions.ts'
import { decodeMachineAction, isOpen, type MachineAction } from '../records/machine-action.ts'
import { doesTheSame, machineIsBusy, sameAction, standingAction, type WantedAction } from './same-action.ts'
import { refusal, refusals, vendorError } from '../vendor-error.ts'

export interface QueuedAction {
  readonly action: MachineAction
  /** It was under way or done already, and not by this step. */
  readonly adopted: boolean
}

type Context = Pick<SkillContext, 'http' | 'idempotencyKey' | 'log' | 'signal'>

/**
 * Queues the action, unless one of the same type and scope is under way, or was the last of it and of what undoes it: a second
 * isolation would wait, and isolate the machine again after its release
 * (https://github.com/MicrosoftDocs/microsoft-365-docs/issues/5903). It sends one POST, never two.
 *
 * @throws RetryableError `machine_busy` where what undoes it is under way, or another scope that the vendor does not take it beside
 * @throws SkillError `already_isolated` where an isolation of another scope stands or is under way
 */
export async function queueAction(wanted: WantedAction, context: Context): Promise<QueuedAction> {
  const known = wanted.ownOnly ? undefined : await knownAction(wanted, context)
  if (known !== undefined) return { action: known, adopted: true }
  const response = await context.http.post(wanted.path, {
    json: { Comment: commentWith(wanted.comment, referenceOf(context.idempotencyKey)), ...wanted.body },
    accept: refusals,
  })
  if (response.status < 400) return await readQueued(response, wanted, context)
  if (vendorError(response)?.code === 'ActiveRequestAlreadyExists') return await adopt(wanted, context)
  throw refusal(`POST ${pathText(wanted.path)}`, response, wanted.needs)
}

/** The action that was queued; where the answer cannot be read, it is looked for. */
async function readQueued(
  response: HttpResponse,
  wanted: WantedAction,
  context: Context,
): Promise<QueuedAction> {
  try {
    return { action: decodeMachineAction(response.json()), adopted: false }
  } catch (cause) {
    const found = await findQueuedAction(wanted, context)
    if (found !== undefined) return found
    throw new RetryableError(
      'unreadable_answer',
      `POST ${pathText(wanted.path)} was taken, but its answer cannot be read`,
      {
        hint: 'the action is looked for before it is queued again',
        effect: 'unknown',
        cause,
      },
    )
  }
}

/**
 * What became of an attempt nobody knows about: the action that it queued, else one that makes another needless: it is under way, or the
 * machine is in that state already. Else nothing.
 */
export async function findQueuedAction(
  wanted: WantedAction,
  { http, idempotencyKey }: Context,
): Promise<QueuedAction | undefined> {
  const reference = referenceOf(idempotencyKey)
  const { machineId, type, undoneBy } = wanted
  const found = await findActions(http, machineId, {
    type: undoneBy === undefined ? type : [type, undoneBy],
  })
  const own = found.find((one) => one.type === type && one.requestorComment?.includes(reference) === true)
  const action =
    own ??
    standingAction(wanted, found) ??
    found.find((one) => one.type === type && isOpen(one) && doesTheSame(wanted, one))
  return action && { action, adopted: own === undefined }
}

/** The action under way, or done, that makes another one needless. */
async function knownAction(wanted: WantedAction, context: Context): Promise<MachineAction | undefined> {
  const { type, undoneBy, machineId } = wanted
  if (undoneBy === undefined) {
    const open = await seen(context, ({ http }) => findOpenActions(http, machineId, type))
    return open.find((one) => doesTheSame(wanted, one))
  }
  return sameAction(
    wanted,
    await seen(context, ({ http }) => findActions(http, machineId, { type: [type, undoneBy] })),
  )
}

/** Where the application may act but not read actions, there is nothing to be seen, and the action is sent all the same. */
async function seen(
  context: Context,
  look: (context: Context) => Promise<readonly MachineAction[]>,
): Promise<readonly MachineAction[]> {
  try {
    return await look(context)
  } catch (error) {
    if (!(error instanceof ConnectionError) || error.code !== 'http_403') throw error
    context.log.warn(
      'cannot see whether such an action is under way: the permission Machine.Read.All is missing',
    )
    return []
  }
}

/** The vendor says that one is under way: it came in between, or does not show in the list. */
async function adopt(wanted: WantedAction, context: Context): Promise<QueuedAction> {
  const open = await seen(context, ({ http }) => findOpenActions(http, wanted.machineId, wanted.type))
  const same = open.find((one) => doesTheSame(wanted, one))
  if (same !== undefined) return { action: same, adopted: true }
  throw machineIsBusy(wanted, open[0])
}
