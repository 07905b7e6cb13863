import { defineSkill } from 'tocsin/plugin'
import { caseFields, reference } from '../case-fields.ts'

export const create = defineSkill({
  name: 'create',
  title: 'Create Case',
  description:
    'Opens an additional case. A run that investigates an alert already has a case: change it with case.update.',
  effect: 'write',
  repeat: 'safe',
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['title'],
    properties: {
      ...caseFields,
      reference: {
        ...reference,
        description:
          'The external record that the case is about. The organization has one case for each: if one exists already, ' +
          'from any run, it stays unchanged and its id is the output.',
      },
    },
  },
  output: {
    type: 'object',
    additionalProperties: false,
    required: ['id'],
    properties: { id: { type: 'string', description: 'Id of the case, `<organization>-<number>`.' } },
  },
  examples: [
    {
      title: 'A separate case for a second machine',
      input: { title: 'Credential dumping on WS-7', severity: 'high', verdict: 'suspicious' },
      output: { id: 'DEMO-2' },
    },
  ],
  async run({ reference, ...changes }, { cases, idempotencyKey }) {
    const opened =
      reference === undefined ? cases.create(changes, idempotencyKey) : cases.open(reference, changes)
    return { id: await opened }
  },
})
