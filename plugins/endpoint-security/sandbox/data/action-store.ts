import type { JsonObject } from 'tocsin/plugin'
import { busyHost, linuxHost, machines, offlineHost } from './machines.ts'
import { recorded } from './fixture.ts'
import { failure } from '../answer.ts'
import type { SandboxReply } from 'tocsin/plugin/testing'

/** A stored machine action. */
export interface StoredAction {
  readonly id: string
  readonly type: string
  readonly machineId: string
  readonly status: string
  readonly [field: string]: unknown
}

/**
 * The actions of a running sandbox. An action advances only when it is read: Pending, InProgress, Succeeded.
 * A second isolation waits for the release and then isolates the machine again, as the vendor's does
 * (https://github.com/MicrosoftDocs/microsoft-365-docs/issues/5903).
 */
export interface ActionStore {
  list(): readonly JsonObject[]
  /** Actions queued since the start, oldest first; reading them here advances none. */
  readonly queued: readonly StoredAction[]
  /** Undefined if the action does not exist. */
  look(id: string): StoredAction | undefined
  add(
    machineId: string,
    fields: { readonly type: string; readonly [field: string]: unknown },
  ): StoredAction | SandboxReply
}

const next: Readonly<Record<string, string>> = { Pending: 'InProgress', InProgress: 'Succeeded' }
const isolationTypes: readonly string[] = ['Isolate', 'Unisolate']
const timeOf = (moment: number): string =>
  `${new Date(Date.UTC(2026, 0, 12, 8, moment)).toISOString().slice(0, -1)}0000Z`
/** Whether the action is unfinished. */
export const isOpenAction = ({ status }: StoredAction): boolean => Object.hasOwn(next, status)

/** @param tell called for every new action and every change of state. Default: no callback. */
export function actionStore(tell: (news: string) => void = () => undefined): ActionStore {
  const actions: StoredAction[] = []
  const isolated = new Set<string>()
  let moments = 0
  const mayGoOn = ({ type, machineId }: StoredAction): boolean =>
    machineId !== offlineHost.id && !(type === 'Isolate' && isolated.has(machineId))
  const change = (action: StoredAction, status: string): StoredAction => {
    const lastUpdateDateTimeUtc = timeOf(++moments)
    const changed = { ...action, status, lastUpdateDateTimeUtc, commands: commandsAt(action, status) }
    actions[actions.indexOf(action)] = changed
    if (status === 'Succeeded' && isolationTypes.includes(action.type))
      isolated[action.type === 'Isolate' ? 'add' : 'delete'](action.machineId)
    tell(showAction(changed))
    return changed
  }
  return {
    queued: actions,
    list: () => [...actions.toReversed(), ...recorded('machine-actions-list')],
    look(id) {
      const action = actions.find((one) => one.id === id)
      const status = action && mayGoOn(action) ? next[action.status] : undefined
      return action && status !== undefined ? change(action, status) : action
    },
    add(machineId, fields) {
      const refused = whyNot(actions, machineId, fields.type)
      if (refused !== undefined) return refused
      const number = actions.length + 1
      const machine = machines.find(({ id }) => id === machineId)
      const time = timeOf(++moments)
      const action: StoredAction = {
        id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
        title: null,
        scope: null,
        requestor: 'Tocsin sandbox',
        machineId,
        computerDnsName: machine?.['computerDnsName'],
        creationDateTimeUtc: time,
        lastUpdateDateTimeUtc: time,
        relatedFileInfo: null,
        commands: [],
        ...fields,
        status: 'Pending',
      }
      actions.push(action)
      tell(showAction(action))
      return action
    },
  }
}

function whyNot(actions: readonly StoredAction[], machineId: string, type: string): SandboxReply | undefined {
  const isBusy = type === 'LiveResponse' && machineId === busyHost.id
  const open = actions.find((one) => one.machineId === machineId && one.type === type && isOpenAction(one))
  if (isBusy || open !== undefined) {
    return failure(400, 'ActiveRequestAlreadyExists', `Action ${type} is already in progress`)
  }
  if (type === 'CollectInvestigationPackage' && machineId === linuxHost.id) {
    return failure(400, 'OsPlatformNotSupported', "OS Platform Linux isn't supported for this action")
  }
  return undefined
}

function commandsAt({ commands }: StoredAction, status: string): unknown {
  if (status !== 'Succeeded' || !Array.isArray(commands)) return commands
  const times = { startTime: '2026-01-12T08:02:00Z', endTime: '2026-01-12T08:03:00Z' }
  return (commands as readonly JsonObject[]).map((one) => ({ ...one, ...times, commandStatus: 'Completed' }))
}

/** One line per action, e.g. `desk-042.example.com  Isolate  Pending`. */
export const showAction = ({ computerDnsName, machineId, type, status }: StoredAction): string =>
  `${typeof computerDnsName === 'string' ? computerDnsName : machineId}  ${type}  ${status}`
