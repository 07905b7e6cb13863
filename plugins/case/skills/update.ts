import { caseStatuses, defineSkill, SkillError } from 'tocsin/plugin'
import { caseFields, caseId, chosenCase } from '../case-fields.ts'

export const update = defineSkill({
  name: 'update',
  title: 'Update Case',
  description: 'Changes fields of a case; absent fields stay unchanged.',
  effect: 'write',
  repeat: 'safe',
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      id: caseId,
      ...caseFields,
      status: { type: 'string', enum: caseStatuses },
    },
  },
  output: {
    type: 'object',
    additionalProperties: false,
    required: ['id'],
    properties: { id: { type: 'string', description: 'Id of the case that was changed.' } },
  },
  examples: [
    {
      title: 'Close a false alarm',
      input: {
        id: 'DEMO-1',
        status: 'closed',
        verdict: 'benign',
        summary: 'A scan announced by operations.',
      },
      output: { id: 'DEMO-1' },
    },
  ],
  async run({ id, ...changes }, { cases, idempotencyKey }) {
    if (Object.values(changes).every((value) => value === undefined)) {
      throw new SkillError('nothing_to_change', 'no field to change was given', {
        hint: 'give at least one of title, summary, status, severity, verdict and assignee',
      })
    }
    const chosen = await chosenCase(id, cases)
    await cases.update(chosen, changes, idempotencyKey)
    return { id: chosen }
  },
})
