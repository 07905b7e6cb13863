import { defineSkill } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { permissions } from '../permissions.ts'
import { refusal, saysNotFound, vendorRefusals } from '../vendor-error.ts'

export const deleteIndicator = defineSkill({
  name: 'delete_indicator',
  title: 'Delete Indicator',
  description:
    'Deletes an indicator, so that machines no longer block, allow or monitor its value. Undoes create_indicator.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/delete-ti-indicator-by-id',
  permissions: [permissions.delete_indicator[0]],
  effect: 'write',
  destructive: 'blocking',
  restores: true,
  changedNothing: ({ deleted }) => !deleted,
  // Deleting a missing indicator changes nothing.
  repeat: 'safe',
  connection,
  input: {
    type: 'object',
    required: ['id'],
    additionalProperties: false,
    properties: {
      id: {
        type: 'string',
        pattern: '^[0-9]{1,20}$',
        patternErrorMessage: 'must be the id that create_indicator or list_indicators returns',
        description: 'Id of the indicator.',
      },
    },
  },
  output: {
    type: 'object',
    required: ['deleted'],
    additionalProperties: false,
    properties: { deleted: { type: 'boolean', description: 'False: there was no such indicator.' } },
  },
  implements: {
    unblock_indicator: { input: ({ block }) => ({ id: block.id }), output: () => ({ status: 'done' }) },
  },
  examples: [
    { title: 'An indicator is deleted', input: { id: '996' }, output: { deleted: true } },
    { title: 'An indicator that does not exist', input: { id: '7' }, output: { deleted: false } },
  ],
  async run({ id }, { http }) {
    const response = await http.request({
      method: 'DELETE',
      path: ['api', 'indicators', id],
      accept: vendorRefusals,
    })
    if (saysNotFound(response)) return { deleted: false }
    if (response.status >= 400)
      throw refusal(`DELETE /api/indicators/${id}`, response, permissions.delete_indicator)
    return { deleted: true }
  },
})
