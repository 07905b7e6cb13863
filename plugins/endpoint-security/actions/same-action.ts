import { RetryableError, SkillError, type RequestPath } from 'tocsin/plugin'
import { hasSucceeded, isOpen, type MachineAction } from '../records/machine-action.ts'
import type { ActionType } from './find-actions.ts'
import type { Permission } from '../permissions.ts'

/** An action to queue on a machine. */
export interface WantedAction {
  readonly machineId: string
  readonly path: RequestPath
  readonly type: ActionType
  readonly needs: Permission
  readonly comment: string
  /**
   * The action type that reverses this type. If absent, the action cannot be reversed and may be repeated.
   */
  readonly undoneBy?: ActionType
  /** Kind of isolation or scan. If absent, the type has no kinds, or any kind matches. */
  readonly scope?: string
  /** Set if an action queued by another step is never equivalent. */
  readonly ownOnly?: true
  /** Fields of the request body besides the comment. Names are case-sensitive. */
  readonly body?: Readonly<Record<string, unknown>>
}

/**
 * From the machine's actions of the wanted type and of its reverse, picks the action that makes the wanted
 * action unnecessary. Undefined if the action may be queued.
 *
 * @throws RetryableError `machine_busy` if the reverse action is pending
 * @throws SkillError `already_isolated` if the machine has, or is about to have, another kind of isolation: a
 * second isolation would wait for the release and isolate the machine again
 */
export function sameAction(wanted: WantedAction, all: readonly MachineAction[]): MachineAction | undefined {
  const { type, undoneBy } = wanted
  const open = all.filter(isOpen)
  const last = standingIsolation(all)
  const opposite = open.find((one) => one.type === undoneBy)
  if (opposite !== undefined) {
    throw last?.type === undoneBy ? waitsForIt(wanted, opposite) : machineIsBusy(wanted, opposite)
  }
  const standing = last?.type === type ? last : undefined
  const candidates = standing === undefined ? open : [standing]
  const same = candidates.find((one) => doesTheSame(wanted, one))
  const [other] = candidates
  if (same === undefined && other !== undefined) throw alreadyIsolated(wanted, other)
  return same
}

/** The action that put the machine into the wanted state, if no later action changes that state. */
export function standingAction(
  { type, undoneBy, ...wanted }: WantedAction,
  all: readonly MachineAction[],
): MachineAction | undefined {
  if (undoneBy === undefined || all.some((one) => isOpen(one) && one.type === undoneBy)) return undefined
  const last = standingIsolation(all)
  return last?.type === type && doesTheSame({ type, ...wanted }, last) ? last : undefined
}

/** The last isolation or release that succeeded, of all isolations and releases of a machine. */
export const standingIsolation = (all: readonly MachineAction[]): MachineAction | undefined =>
  all.filter(hasSucceeded).toSorted(byLastUpdate)[0]

/** Some responses omit the scope, which leaves nothing to compare. */
export const doesTheSame = ({ scope, ownOnly }: WantedAction, action: MachineAction): boolean =>
  ownOnly !== true && (scope === undefined || action.scope === null || action.scope === scope)

export const machineIsBusy = (
  { machineId, type }: WantedAction,
  open: MachineAction | undefined,
): RetryableError =>
  new RetryableError(
    'machine_busy',
    `machine ${machineId} cannot accept the action ${type}: ${open?.type ?? `another ${type}`} is pending`,
    {
      hint: 'wait for it to end, or cancel it in the portal',
      details: detailsOf(machineId, open),
      effect: 'none',
    },
  )

/** The machine is isolated and another isolation is waiting: neither ends by itself. */
const waitsForIt = ({ machineId, type }: WantedAction, open: MachineAction): RetryableError =>
  new RetryableError(
    'machine_busy',
    `machine ${machineId} cannot accept the action ${type}: a second ${open.type ?? 'action'}${inScope(open)} is waiting ` +
      'and would run right after it',
    {
      hint: `cancel the action ${open.id} in the portal; the step is then retried`,
      details: detailsOf(machineId, open),
      effect: 'none',
    },
  )

const alreadyIsolated = ({ machineId, scope }: WantedAction, other: MachineAction): SkillError =>
  new SkillError(
    'already_isolated',
    `machine ${machineId} ${isOpen(other) ? 'is being' : 'is already'} isolated${inScope(other)}: release it before ` +
      'another isolation',
    {
      hint: `release it with unisolate_machine, then isolate it as ${scope ?? 'wanted'}`,
      details: detailsOf(machineId, other),
    },
  )

const inScope = ({ scope }: MachineAction): string => (scope === null ? '' : ` as ${scope}`)

const detailsOf = (machineId: string, action: MachineAction | undefined) => ({
  machine_id: machineId,
  action_id: action?.id ?? null,
  scope: action?.scope ?? null,
})

/** Newest update first. Sorts by update, because an action can end after actions that were queued later. */
const byLastUpdate = (a: MachineAction, b: MachineAction): number =>
  (b.lastUpdateDateTimeUtc ?? '') > (a.lastUpdateDateTimeUtc ?? '') ? 1 : -1
