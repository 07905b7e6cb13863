import { defineSkill, valueAt, type Infer } from 'tocsin/plugin'
import { actionOutput, actsOnMachine, commentField, waitSeconds } from '../actions/action-fields.ts'
import { connection } from '../connection.ts'
import { isolation } from '../examples/machine-action.ts'
import { workstation } from '../examples/machine.ts'
import { machineId, machinePath } from '../lists/ids.ts'
import { permissions } from '../permissions.ts'
import type { WantedAction } from '../actions/same-action.ts'
import { runAction, verifyAction } from '../actions/run-action.ts'

const input = {
  type: 'object',
  required: ['id', 'comment'],
  additionalProperties: false,
  properties: {
    id: machineId,
    comment: commentField,
    isolationType: {
      type: 'string',
      enum: ['Full', 'Selective', 'UnManagedDevice'],
      default: 'Full',
      description:
        'Full blocks all traffic except to the platform; Selective also allows Outlook, Teams and Skype; UnManagedDevice makes other ' +
        'machines block one that is not onboarded.',
    },
    wait_seconds: waitSeconds,
  },
} as const

export const isolateMachine = defineSkill({
  name: 'isolate_machine',
  title: 'Isolate Machine',
  description:
    'Isolates a machine from the network, except from the platform. unisolate_machine reverses it. The action is queued: wait for its ' +
    'end with wait_seconds, or poll it with get_machine_action.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/isolate-machine',
  permissions: [permissions.isolate_machine[0]],
  effect: 'write',
  destructive: 'containment',
  followWith: { skill: 'get_machine_action', input: (_, { action }) => ({ id: action.id }) },
  undoneBy: { skill: 'unisolate_machine', input: ({ id, comment }) => ({ id, comment }) },
  stateBy: {
    skill: 'get_isolation',
    input: ({ id }) => ({ id }),
    contained: (state) => valueAt(state, 'isolated') === true,
    released: (state) => valueAt(state, 'isolated') === false,
  },
  changedNothing: ({ adopted }) => adopted,
  repeat: 'verify',
  connection,
  input,
  output: actionOutput,
  implements: { isolate_machine: actsOnMachine },
  examples: [
    {
      title: 'A workstation is being isolated',
      input: { id: workstation.id, comment: 'Credential dumping tool, case ACME-7' },
      output: { action: isolation, adopted: false, finished: false },
    },
  ],
  run: async (input, context) => await runAction(wanted(input), input.wait_seconds ?? 0, context),
  verify: async (input, context) => await verifyAction(wanted(input), input.wait_seconds ?? 0, context),
})

function wanted({ id, comment, isolationType = 'Full' }: Infer<typeof input>): WantedAction {
  return {
    machineId: id,
    path: machinePath(id, 'isolate'),
    type: 'Isolate',
    undoneBy: 'Unisolate',
    needs: permissions.isolate_machine,
    comment,
    scope: isolationType,
    body: { IsolationType: isolationType },
  }
}
