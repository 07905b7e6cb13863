import { caseStatuses, closingReasons, defineSkill, SkillError } from 'tocsin/plugin'
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
      closing_reason: {
        type: 'string',
        enum: closingReasons,
        description: 'Why the case is closed. Left out if the case is not closed.',
      },
      resolution: {
        type: 'string',
        maxLength: 10_000,
        description: 'What was done. Left out if the case is not closed.',
      },
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
        closing_reason: 'benign_positive',
        summary: 'A scan announced by operations.',
      },
      output: { id: 'DEMO-1' },
    },
  ],
  async run({ id, closing_reason: closingReason, ...others }, { cases, idempotencyKey }) {
    const changes = { ...others, closingReason }
    if (Object.values(changes).every((value) => value === undefined)) {
      throw new SkillError('nothing_to_change', 'no field to change was given', {
        hint: 'give at least one of title, summary, status, severity, verdict, assignee, closing_reason and resolution',
      })
    }
    const chosen = await chosenCase(id, cases)
    await cases.update(chosen, changes, idempotencyKey)
    return { id: chosen }
  },
})
