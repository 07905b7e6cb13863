import { ConnectionError, RetryableError, type HttpResponse, type SkillContext } from 'tocsin/plugin'
import { commentWith, referenceOf } from './action-reference.ts'
import { findOpenAction, findOwnAction, type ActionType } from './find-actions.ts'
import type { Permission } from './permissions.ts'
import { decodeMachineAction, type MachineAction } from './records/machine-action.ts'
import { refusal, refusals, vendorError } from './vendor-error.ts'

/** An action to be queued on a machine. */
export interface WantedAction {
  readonly machineId: string
  readonly path: string
  readonly type: ActionType
  readonly needs: Permission
  readonly comment: string
  /** Kind of isolation or scan; absent: there are none, or any will do. */
  readonly scope?: string
  /** Another action of that type does something else: it is never taken for this one. */
  readonly ownOnly?: true
  /** What the body holds besides the comment. Names are case-sensitive. */
  readonly body?: Readonly<Record<string, unknown>>
}

export interface QueuedAction {
  readonly action: MachineAction
  /** It was under way already, and not by this step. */
  readonly adopted: boolean
}

type Context = Pick<SkillContext, 'http' | 'idempotencyKey' | 'log' | 'signal'>

/**
 * Queues the action, unless one of the same type and scope is under way: a second isolation would wait, and isolate the machine
 * again after its release (https://github.com/MicrosoftDocs/microsoft-365-docs/issues/5903). It sends one POST, never two.
 */
export async function queueAction(wanted: WantedAction, context: Context): Promise<QueuedAction> {
  const open = wanted.ownOnly ? undefined : await openAction(wanted, context)
  if (open !== undefined && doesTheSame(wanted, open)) return { action: open, adopted: true }
  const response = await context.http.post(wanted.path, {
    json: { Comment: commentWith(wanted.comment, referenceOf(context.idempotencyKey)), ...wanted.body },
    accept: refusals,
  })
  if (response.status < 400) return await readQueued(response, wanted, context)
  if (vendorError(response)?.code === 'ActiveRequestAlreadyExists') return await adopt(wanted, context)
  throw refusal(`POST ${wanted.path}`, response, wanted.needs)
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
      `POST ${wanted.path} was taken, but its answer cannot be read`,
      {
        hint: 'the action is looked for before it is queued again',
        cause,
      },
    )
  }
}

/** What became of an attempt nobody knows about: the action that it queued, else one under way that does the same, else nothing. */
export async function findQueuedAction(
  wanted: WantedAction,
  { http, idempotencyKey }: Context,
): Promise<QueuedAction | undefined> {
  const reference = referenceOf(idempotencyKey)
  const found = await findOwnAction(http, wanted.machineId, wanted.type, reference)
  if (found === undefined || !(found.own || doesTheSame(wanted, found.action))) return undefined
  return { action: found.action, adopted: !found.own }
}

/** Where the application may act but not read actions, there is nothing to be seen, and the action is sent all the same. */
async function openAction(wanted: WantedAction, { http, log }: Context): Promise<MachineAction | undefined> {
  try {
    return await findOpenAction(http, wanted.machineId, wanted.type)
  } catch (error) {
    if (!(error instanceof ConnectionError) || error.code !== 'http_403') throw error
    log.warn('cannot see whether such an action is under way: the permission Machine.Read.All is missing')
    return undefined
  }
}

/** The vendor says that one is under way: it came in between, or does not show in the list. */
async function adopt(wanted: WantedAction, context: Context): Promise<QueuedAction> {
  const open = await openAction(wanted, context)
  if (open !== undefined && doesTheSame(wanted, open)) return { action: open, adopted: true }
  throw new RetryableError(
    'rate_limited',
    `machine ${wanted.machineId} is busy with another ${wanted.type} action`,
    {
      hint: 'wait for it to end, or cancel it in the portal',
      details: { machine_id: wanted.machineId, action_id: open?.id ?? null, scope: open?.scope ?? null },
    },
  )
}

/** Some answers leave the scope out; then there is nothing to compare. */
const doesTheSame = ({ scope, ownOnly }: WantedAction, action: MachineAction): boolean =>
  ownOnly !== true && (scope === undefined || action.scope === null || action.scope === scope)
