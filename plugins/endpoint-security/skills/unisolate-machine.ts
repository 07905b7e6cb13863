import { defineSkill, type Infer } from 'tocsin/plugin'
import { actionOutput, actsOnMachine, commentField, waitSeconds } from '../actions/action-fields.ts'
import { connection } from '../connection.ts'
import { release } from '../examples/machine-action.ts'
import { workstation } from '../examples/machine.ts'
import { machineId, machinePath } from '../lists/ids.ts'
import { permissions } from '../permissions.ts'
import type { WantedAction } from '../actions/same-action.ts'
import { runAction, verifyAction } from '../actions/run-action.ts'

const input = {
  type: 'object',
  required: ['id', 'comment'],
  additionalProperties: false,
  properties: { id: machineId, comment: commentField, wait_seconds: waitSeconds },
} as const

export const unisolateMachine = defineSkill({
  name: 'unisolate_machine',
  title: 'Unisolate Machine',
  description: 'Ends the isolation of a machine.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/unisolate-machine',
  permissions: [permissions.unisolate_machine[0]],
  effect: 'write',
  destructive: 'containment',
  restores: true,
  followWith: { skill: 'get_machine_action', input: (_, { action }) => ({ id: action.id }) },
  undoneBy: { skill: 'isolate_machine', input: ({ id, comment }) => ({ id, comment }) },
  changedNothing: ({ adopted }) => adopted,
  repeat: 'verify',
  connection,
  input,
  output: actionOutput,
  implements: { release_machine: actsOnMachine },
  examples: [
    {
      title: 'A workstation is being released',
      input: { id: workstation.id, comment: 'Cleaned, case ACME-7' },
      output: { action: release, adopted: false, finished: false },
    },
  ],
  run: async (input, context) => await runAction(wanted(input), input.wait_seconds ?? 0, context),
  verify: async (input, context) => await verifyAction(wanted(input), input.wait_seconds ?? 0, context),
})

function wanted({ id, comment }: Infer<typeof input>): WantedAction {
  return {
    machineId: id,
    path: machinePath(id, 'unisolate'),
    type: 'Unisolate',
    undoneBy: 'Isolate',
    needs: permissions.unisolate_machine,
    comment,
  }
}
