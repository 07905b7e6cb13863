import { textAt, type Infer } from 'tocsin/plugin'
import { decode } from '../lists/decode.ts'
import { integerOrNull, record, textOrNull, timeOrNull, word } from '../lists/shapes.ts'

/** What one command of a live response did. */
const command = record({
  index: integerOrNull,
  startTime: timeOrNull,
  endTime: timeOrNull,
  commandStatus: word('Created, Completed, Failed'),
  errors: { type: 'array', items: { type: 'string' } },
  command: {
    ...record({
      type: word('PutFile, RunScript, GetFile'),
      params: { type: 'array', items: record({ key: textOrNull, value: textOrNull }) },
    }),
    type: ['object', 'null'],
  },
})

/** https://learn.microsoft.com/en-us/defender-endpoint/api/machineaction */
export const machineActionSchema = record({
  id: { type: 'string' },
  type: word('Isolate, Unisolate, RunAntiVirusScan, CollectInvestigationPackage, LiveResponse'),
  scope: textOrNull,
  requestor: textOrNull,
  requestorComment: textOrNull,
  status: {
    type: 'string',
    description: 'Pending, InProgress, Succeeded, Failed, TimeOut, Cancelled or another.',
  },
  machineId: textOrNull,
  computerDnsName: textOrNull,
  creationDateTimeUtc: timeOrNull,
  lastUpdateDateTimeUtc: timeOrNull,
  commands: { type: 'array', items: command },
})

export type MachineAction = Infer<typeof machineActionSchema>

/** Lists call the time of the last update by another name than single answers do. */
export function decodeMachineAction(value: unknown): MachineAction {
  const action = decode(machineActionSchema, value, 'machine action')
  return {
    ...action,
    lastUpdateDateTimeUtc: action.lastUpdateDateTimeUtc ?? textAt(value, 'lastUpdateTimeUtc'),
  }
}

const openStates: readonly string[] = ['Pending', 'InProgress']
const failedStates: readonly string[] = ['Failed', 'TimeOut', 'Cancelled']

export const isOpen = ({ status }: MachineAction): boolean => openStates.includes(status)
export const hasFailed = ({ status }: MachineAction): boolean => failedStates.includes(status)
/** In whatever way: a state that is not known counts as one that may go on. */
export const hasEnded = (action: MachineAction): boolean => hasSucceeded(action) || hasFailed(action)
export const hasSucceeded = ({ status }: MachineAction): boolean => status === 'Succeeded'
