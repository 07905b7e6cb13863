import { defineSkill } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { malwareOnWorkstation } from '../examples/alert.ts'
import { alertId } from '../lists/ids.ts'
import { permissions } from '../permissions.ts'
import { readRecord } from '../lists/read-record.ts'
import { alertSchema, decodeAlert } from '../records/alert.ts'

export const getAlert = defineSkill({
  name: 'get_alert',
  title: 'Get Endpoint Security Alert',
  description: 'Returns an alert by its id, with its evidence. Fails with not_found if it does not exist.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/get-alert-info-by-id',
  permissions: [permissions.get_alert[0]],
  effect: 'read',
  connection,
  input: {
    type: 'object',
    required: ['id'],
    additionalProperties: false,
    properties: { id: alertId },
  },
  output: alertSchema,
  examples: [
    {
      title: 'Malware on a workstation',
      input: { id: malwareOnWorkstation.id },
      output: malwareOnWorkstation,
    },
  ],
  async run({ id }, { http }) {
    const path = ['api', 'alerts', id]
    return await readRecord(http, path, permissions.get_alert, decodeAlert)
  },
})
