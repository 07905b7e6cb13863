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
import { refusal, vendorRefusals, vendorError } from '../vendor-error.ts'

export interface QueuedAction {
  readonly action: MachineAction
  /** True if the action was already pending or done, and not queued by this step. */
  readonly adopted: boolean
}

type Context = Pick<SkillContext, 'http' | 'idempotencyKey' | 'log' | 'signal'>

/**
 * Queues the action, unless an equivalent action is pending or is the last effective action. A second
 * isolation would wait and isolate the machine again after its release
 * (https://github.com/MicrosoftDocs/microsoft-365-docs/issues/5903). Sends one POST at most.
 *
 * @throws RetryableError `machine_busy` if the reverse action, or a conflicting scope, is pending
 * @throws SkillError `already_isolated` if the machine has, or is about to have, another kind of isolation
 */
export async function queueAction(wanted: WantedAction, context: Context): Promise<QueuedAction> {
  const known = wanted.ownOnly ? undefined : await knownAction(wanted, context)
  if (known !== undefined) return { action: known, adopted: true }
  const response = await context.http.post(wanted.path, {
    json: { Comment: commentWith(wanted.comment, referenceOf(context.idempotencyKey)), ...wanted.body },
    accept: vendorRefusals,
  })
  if (response.status < 400) return await readQueued(response, wanted, context)
  if (vendorError(response)?.code === 'ActiveRequestAlreadyExists') return await adopt(wanted, context)
  throw refusal(`POST ${pathText(wanted.path)}`, response, wanted.needs)
}

/** The queued action; if the response cannot be read, it is looked up. */
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
      `POST ${pathText(wanted.path)} was accepted, but its response cannot be read`,
      {
        hint: 'the retry looks for the action before it queues another one',
        effect: 'unknown',
        cause,
      },
    )
  }
}

/**
 * Resolves an attempt with unknown outcome: the action that it queued, or an equivalent action that is
 * pending or done; otherwise undefined.
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

/** The pending or completed action that makes a new action unnecessary. */
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

/** Without permission to read actions there is nothing to compare with, so the action is sent. */
async function seen(
  context: Context,
  look: (context: Context) => Promise<readonly MachineAction[]>,
): Promise<readonly MachineAction[]> {
  try {
    return await look(context)
  } catch (error) {
    if (!(error instanceof ConnectionError) || error.code !== 'http_403') throw error
    context.log.warn('could not check for a running action: the permission Machine.Read.All is missing')
    return []
  }
}

/** The vendor reports a pending action that was queued after the list was read, or is missing from it. */
async function adopt(wanted: WantedAction, context: Context): Promise<QueuedAction> {
  const open = await seen(context, ({ http }) => findOpenActions(http, wanted.machineId, wanted.type))
  const same = open.find((one) => doesTheSame(wanted, one))
  if (same !== undefined) return { action: same, adopted: true }
  throw machineIsBusy(wanted, open[0])
}
