import { defineSkill } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { recordedAction } from '../examples/machine-action.ts'
import { actionId, actionPath } from '../lists/ids.ts'
import { permissions } from '../permissions.ts'
import { readRecord } from '../lists/read-record.ts'
import {
  decodeMachineAction,
  actionHasEnded,
  hasSucceeded,
  machineActionSchema,
} from '../records/machine-action.ts'

export const getMachineAction = defineSkill({
  name: 'get_machine_action',
  title: 'Get Machine Action',
  description:
    'Returns the state of an action queued on a machine, such as an isolation. Poll it with `repeat`, or give the action itself ' +
    'wait_seconds. Fails with not_found if there is no such action.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/get-machineaction-object',
  permissions: [permissions.get_machine_action[0]],
  effect: 'read',
  connection,
  input: {
    type: 'object',
    required: ['id'],
    additionalProperties: false,
    properties: { id: actionId },
  },
  output: {
    type: 'object',
    additionalProperties: false,
    required: ['action', 'ended', 'finished'],
    properties: {
      action: machineActionSchema,
      ended: { type: 'boolean', description: 'The action has ended.' },
      finished: {
        type: 'boolean',
        description: 'The action succeeded. False: it is still pending, failed, timed out or was cancelled.',
      },
    },
  },
  examples: [
    {
      title: 'A scan that has succeeded',
      input: { id: recordedAction.id },
      output: { action: recordedAction, ended: true, finished: true },
    },
  ],
  async run({ id }, { http }) {
    const action = await readRecord(http, actionPath(id), permissions.get_machine_action, decodeMachineAction)
    return { action, ended: actionHasEnded(action), finished: hasSucceeded(action) }
  },
})
