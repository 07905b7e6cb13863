import { defineSkill } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { server, workstation } from '../examples/machine.ts'
import { machineId, machinePath } from '../lists/ids.ts'
import { permissions } from '../permissions.ts'
import { readRecord } from '../lists/read-record.ts'
import { decodeMachine, machineSchema } from '../records/machine.ts'

export const getMachine = defineSkill({
  name: 'get_machine',
  title: 'Get Endpoint Security Machine',
  description: 'Returns a machine by its id. Fails with not_found if it does not exist.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/get-machine-by-id',
  permissions: [permissions.get_machine[0]],
  effect: 'read',
  connection,
  input: {
    type: 'object',
    required: ['id'],
    additionalProperties: false,
    properties: { id: machineId },
  },
  output: machineSchema,
  examples: [
    { title: 'A workstation', input: { id: workstation.id }, output: workstation },
    { title: 'A server', input: { id: server.id }, output: server },
  ],
  async run({ id }, { http }) {
    return await readRecord(http, machinePath(id), permissions.get_machine, decodeMachine)
  },
})
