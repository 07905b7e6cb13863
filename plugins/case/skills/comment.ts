import { defineSkill } from 'tocsin/plugin'
import { caseId, chosenCase } from '../case-fields.ts'

export const comment = defineSkill({
  name: 'comment',
  title: 'Comment on Case',
  description: 'Adds a note to the timeline of a case.',
  effect: 'write',
  repeat: 'safe',
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['text'],
    properties: {
      id: caseId,
      text: {
        type: 'string',
        minLength: 1,
        maxLength: 10_000,
        description: 'Shown as plain text.',
      },
    },
  },
  output: {
    type: 'object',
    additionalProperties: false,
    required: ['id'],
    properties: { id: { type: 'string', description: 'Id of the case with the note.' } },
  },
  examples: [
    {
      title: 'Note what was found',
      input: { id: 'DEMO-1', text: 'The address has been on two block lists since yesterday.' },
      output: { id: 'DEMO-1' },
    },
  ],
  async run({ id, text }, { cases, idempotencyKey }) {
    const chosen = await chosenCase(id, cases)
    await cases.comment(chosen, text, idempotencyKey)
    return { id: chosen }
  },
})
