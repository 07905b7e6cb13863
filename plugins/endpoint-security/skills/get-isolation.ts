import { defineSkill } from 'tocsin/plugin'
import { findActions } from '../actions/find-actions.ts'
import { standingIsolation } from '../actions/same-action.ts'
import { connection } from '../connection.ts'
import { workstation } from '../examples/machine.ts'
import { machineId } from '../lists/ids.ts'
import { permissions } from '../permissions.ts'
import { isOpen } from '../records/machine-action.ts'

export const getIsolation = defineSkill({
  name: 'get_isolation',
  title: 'Get Isolation',
  description:
    'Whether a machine is isolated, as its last successful isolation or release says, whoever queued it. The platform has no such field of a machine.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/get-machineactions-collection',
  permissions: [permissions.get_isolation[0]],
  effect: 'read',
  connection,
  input: {
    type: 'object',
    required: ['id'],
    additionalProperties: false,
    properties: { id: machineId },
  },
  output: {
    type: 'object',
    additionalProperties: false,
    required: ['isolated', 'pending', 'action_id'],
    properties: {
      isolated: {
        type: ['boolean', 'null'],
        description: 'Null: the platform lists no successful isolation or release of the machine.',
      },
      pending: { type: 'boolean', description: 'An isolation or a release has not ended.' },
      action_id: { type: ['string', 'null'], description: 'The action that says so.' },
    },
  },
  examples: [
    {
      title: 'A machine that was never isolated',
      input: { id: workstation.id },
      output: { isolated: null, pending: false, action_id: null },
    },
  ],
  async run({ id }, { http }) {
    const all = await findActions(http, id, { type: ['Isolate', 'Unisolate'] })
    const last = standingIsolation(all)
    return {
      isolated: last === undefined ? null : last.type === 'Isolate',
      pending: all.some(isOpen),
      action_id: last?.id ?? null,
    }
  },
})
