import { SkillError, type HttpClient } from 'tocsin/plugin'
import { actionsPermission } from '../permissions.ts'
import { readList } from '../lists/read-list.ts'
import { decodeMachineAction, isOpen, type MachineAction } from '../records/machine-action.ts'

/** The vendor's values of `type`. */
export type ActionType =
  'Isolate' | 'Unisolate' | 'RunAntiVirusScan' | 'CollectInvestigationPackage' | 'LiveResponse'

/** Unfinished actions on a machine, newest first. */
export async function findOpenActions(
  http: HttpClient,
  machineId: string,
  type: ActionType,
): Promise<readonly MachineAction[]> {
  const found = await findActions(http, machineId, { type, status: ['Pending', 'InProgress'] })
  return found.filter(isOpen)
}

/** Actions on a machine in any state, newest first. Reads at most 999: callers look for recent actions. */
export async function findActions(
  http: HttpClient,
  machineId: string,
  wanted: { readonly type: ActionType | readonly ActionType[]; readonly status?: readonly string[] },
): Promise<readonly MachineAction[]> {
  const { items, unreadable } = await readList(http, {
    path: '/api/machineactions',
    needs: actionsPermission,
    decode: decodeMachineAction,
    filter: { machineId: machineId.toLowerCase(), ...wanted },
    limit: 999,
  })
  // An unreadable action may be the action that must not be queued again.
  if (unreadable > 0) {
    throw new SkillError('bad_response', `an action on machine ${machineId} has no id or no status`, {
      hint: 'check the machine’s actions in the portal',
    })
  }
  return items.toSorted((a, b) => compare(b.creationDateTimeUtc ?? '', a.creationDateTimeUtc ?? ''))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
