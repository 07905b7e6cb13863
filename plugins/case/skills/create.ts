import { defineSkill } from 'tocsin/plugin'
import { caseFields, reference } from '../case-fields.ts'

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
    properties: {
      ...caseFields,
      reference: {
        ...reference,
        description:
          'What the case is about in another system. The organization has one case for each: where one was opened for it before, ' +
          'in whatever run, that one is left as it is, and its id is the output.',
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
      title: 'A case of its own for a second machine',
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
