import { textAt, type Infer } from 'tocsin/plugin'
import { decodeRecord } from '../lists/decode.ts'
import { integerOrNull, recordSchema, nullableText, nullableTime, word } from '../lists/shapes.ts'

/** Result of one live response command. */
const command = recordSchema({
  index: integerOrNull,
  startTime: nullableTime,
  endTime: nullableTime,
  commandStatus: word('Created, Completed, Failed'),
  errors: { type: 'array', items: { type: 'string' } },
  command: {
    ...recordSchema({
      type: word('PutFile, RunScript, GetFile'),
      params: { type: 'array', items: recordSchema({ key: nullableText, value: nullableText }) },
    }),
    type: ['object', 'null'],
  },
})

/** https://learn.microsoft.com/en-us/defender-endpoint/api/machineaction */
export const machineActionSchema = recordSchema({
  id: { type: 'string' },
  type: word('Isolate, Unisolate, RunAntiVirusScan, CollectInvestigationPackage, LiveResponse'),
  scope: nullableText,
  requestor: nullableText,
  requestorComment: nullableText,
  status: {
    type: 'string',
    description: 'Pending, InProgress, Succeeded, Failed, TimeOut, Cancelled or another.',
  },
  machineId: nullableText,
  computerDnsName: nullableText,
  creationDateTimeUtc: nullableTime,
  lastUpdateDateTimeUtc: nullableTime,
  commands: { type: 'array', items: command },
})

export type MachineAction = Infer<typeof machineActionSchema>

/** Lists and single responses name the time of the last update differently. */
export function decodeMachineAction(value: unknown): MachineAction {
  const action = decodeRecord(machineActionSchema, value, 'machine action')
  return {
    ...action,
    lastUpdateDateTimeUtc: action.lastUpdateDateTimeUtc ?? textAt(value, 'lastUpdateTimeUtc'),
  }
}

const openStates: readonly string[] = ['Pending', 'InProgress']
const failedStates: readonly string[] = ['Failed', 'TimeOut', 'Cancelled']

export const isOpen = ({ status }: MachineAction): boolean => openStates.includes(status)
export const hasFailed = ({ status }: MachineAction): boolean => failedStates.includes(status)
/** Whether the action has ended in any way; an unknown state counts as pending. */
export const actionHasEnded = (action: MachineAction): boolean => hasSucceeded(action) || hasFailed(action)
export const hasSucceeded = ({ status }: MachineAction): boolean => status === 'Succeeded'
