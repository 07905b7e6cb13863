import { defineSkill } from 'tocsin/plugin'
import { caseFields } from '../case-fields.ts'

export const create = defineSkill({
  name: 'create',
  title: 'Create Case',
  description:
    'Opens a further case. A run that investigates an alert has a case already: change that one with case.update.',
  effect: 'write',
  repeat: 'safe',
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['title'],
    properties: caseFields,
  },
  output: {
    type: 'object',
    additionalProperties: false,
    required: ['id'],
    properties: { id: { type: 'string', description: 'Id of the new case, `<organization>-<number>`.' } },
  },
  examples: [
    {
      title: 'A case of its own for a second machine',
      input: { title: 'Credential dumping on WS-7', severity: 'high', verdict: 'suspicious' },
      output: { id: 'DEMO-2' },
    },
  ],
  async run(input, { cases, idempotencyKey }) {
    return { id: await cases.create(input, idempotencyKey) }
  },
})
