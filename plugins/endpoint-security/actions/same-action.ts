import { RetryableError, SkillError, type RequestPath } from 'tocsin/plugin'
import { hasSucceeded, isOpen, type MachineAction } from '../records/machine-action.ts'
import type { ActionType } from './find-actions.ts'
import type { Permission } from '../permissions.ts'

/** An action to be queued on a machine. */
export interface WantedAction {
  readonly machineId: string
  readonly path: RequestPath
  readonly type: ActionType
  readonly needs: Permission
  readonly comment: string
  /** What undoes it. Absent: it leaves nothing behind that could be undone, so doing it again is another one. */
  readonly undoneBy?: ActionType
  /** Kind of isolation or scan; absent: there are none, or any will do. */
  readonly scope?: string
  /** Another action of that type does something else: it is never taken for this one. */
  readonly ownOnly?: true
  /** What the body holds besides the comment. Names are case-sensitive. */
  readonly body?: Readonly<Record<string, unknown>>
}

/**
 * Of all actions on the machine of the wanted type, and of what undoes it: the one that makes the wanted one needless. Undefined:
 * there is none, it may be queued.
 *
 * @throws RetryableError `machine_busy` where what undoes it is under way
 * @throws SkillError `already_isolated` where the machine is, or is about to be, isolated in another kind: a second isolation would
 *   wait for the release, and isolate the machine again after it
 */
export function sameAction(wanted: WantedAction, all: readonly MachineAction[]): MachineAction | undefined {
  const { type, undoneBy } = wanted
  const open = all.filter(isOpen)
  const last = all.filter(hasSucceeded).toSorted(byLastUpdate)[0]
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

/** The action that has put the machine into the wanted state, in which it still is and is about to stay; undefined: there is none. */
export function standingAction(
  { type, undoneBy, ...wanted }: WantedAction,
  all: readonly MachineAction[],
): MachineAction | undefined {
  if (undoneBy === undefined || all.some((one) => isOpen(one) && one.type === undoneBy)) return undefined
  const last = all.filter(hasSucceeded).toSorted(byLastUpdate)[0]
  return last?.type === type && doesTheSame({ type, ...wanted }, last) ? last : undefined
}

/** Some answers leave the scope out; then there is nothing to compare. */
export const doesTheSame = ({ scope, ownOnly }: WantedAction, action: MachineAction): boolean =>
  ownOnly !== true && (scope === undefined || action.scope === null || action.scope === scope)

export const machineIsBusy = (
  { machineId, type }: WantedAction,
  open: MachineAction | undefined,
): RetryableError =>
  new RetryableError(
    'machine_busy',
    `machine ${machineId} cannot take the action ${type}: ${open?.type ?? `another ${type}`} is under way there`,
    {
      hint: 'wait for it to end, or cancel it in the portal',
      details: detailsOf(machineId, open),
      effect: 'none',
    },
  )

/** The machine is isolated, and another isolation waits: neither would ever end by itself. */
const waitsForIt = ({ machineId, type }: WantedAction, open: MachineAction): RetryableError =>
  new RetryableError(
    'machine_busy',
    `machine ${machineId} cannot take the action ${type}: a second ${open.type ?? 'action'}${inScope(open)} waits for it there, ` +
      'and would be carried out right after it',
    {
      hint: `cancel the action ${open.id} in the portal; the step is tried again`,
      details: detailsOf(machineId, open),
      effect: 'none',
    },
  )

const alreadyIsolated = ({ machineId, scope }: WantedAction, other: MachineAction): SkillError =>
  new SkillError(
    'already_isolated',
    `machine ${machineId} ${isOpen(other) ? 'is being' : 'is already'} isolated${inScope(other)}: it takes no other isolation ` +
      'before it is released',
    {
      hint: `release it first with unisolate_machine, then isolate it as ${scope ?? 'wanted'}`,
      details: detailsOf(machineId, other),
    },
  )

const inScope = ({ scope }: MachineAction): string => (scope === null ? '' : ` as ${scope}`)

const detailsOf = (machineId: string, action: MachineAction | undefined) => ({
  machine_id: machineId,
  action_id: action?.id ?? null,
  scope: action?.scope ?? null,
})

/** Newest first: what waited ends after what was queued later. */
const byLastUpdate = (a: MachineAction, b: MachineAction): number =>
  (b.lastUpdateDateTimeUtc ?? '') > (a.lastUpdateDateTimeUtc ?? '') ? 1 : -1
