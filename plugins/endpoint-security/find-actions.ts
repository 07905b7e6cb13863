import type { HttpClient } from 'tocsin/plugin'
import { actionsPermission } from './permissions.ts'
import { readList } from './read-list.ts'
import { decodeMachineAction, isOpen, type MachineAction } from './records/machine-action.ts'

/** As the vendor names them in `type`. */
export type ActionType =
  'Isolate' | 'Unisolate' | 'RunAntiVirusScan' | 'CollectInvestigationPackage' | 'LiveResponse'

/** An action that has not ended, on a machine. */
export async function findOpenAction(
  http: HttpClient,
  machineId: string,
  type: ActionType,
): Promise<MachineAction | undefined> {
  const found = await listActions(http, {
    machineId: machineId.toLowerCase(),
    type,
    status: ['Pending', 'InProgress'],
  })
  return found.find(isOpen)
}

/** The action that carries `reference`, in whatever state; else one that has not ended. */
export async function findOwnAction(
  http: HttpClient,
  machineId: string,
  type: ActionType,
  reference: string,
): Promise<{ readonly action: MachineAction; readonly own: boolean } | undefined> {
  const found = await listActions(http, { machineId: machineId.toLowerCase(), type })
  const own = found.find(({ requestorComment }) => requestorComment?.includes(reference))
  const action = own ?? found.find(isOpen)
  return action && { action, own: own !== undefined }
}

/** Newest first. More actions of one type on one machine than these are not looked at: what is looked for is recent. */
async function listActions(
  http: HttpClient,
  filter: Readonly<Record<string, string | readonly string[]>>,
): Promise<readonly MachineAction[]> {
  const { items } = await readList(http, {
    path: '/api/machineactions',
    needs: actionsPermission,
    decode: decodeMachineAction,
    filter,
    limit: 999,
  })
  return items.toSorted((a, b) => compare(b.creationDateTimeUtc ?? '', a.creationDateTimeUtc ?? ''))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
