import { caseStatuses, defineSkill, severities, verdicts } from 'tocsin/plugin'
import { reference } from '../case-fields.ts'

const textOrNull = { type: ['string', 'null'] } as const
const none = {
  id: null,
  title: null,
  summary: null,
  status: null,
  severity: null,
  verdict: null,
  assignee: null,
}

export const find = defineSkill({
  name: 'find',
  title: 'Find Case',
  description: 'Finds the case that was opened for a reference, in this run or another one.',
  effect: 'read',
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['reference'],
    properties: {
      reference: {
        ...reference,
        description: 'The external record that the case is about, as given to case.create.',
      },
    },
  },
  output: {
    type: 'object',
    additionalProperties: false,
    required: ['id', 'title', 'summary', 'status', 'severity', 'verdict', 'assignee'],
    properties: {
      id: {
        ...textOrNull,
        description: 'Null if there is no such case; then all other fields are null too.',
      },
      title: textOrNull,
      summary: textOrNull,
      status: { enum: [...caseStatuses, null] },
      severity: { enum: [...severities, null] },
      verdict: { enum: [...verdicts, null] },
      assignee: textOrNull,
    },
  },
  examples: [{ title: 'No case yet', input: { reference: 'threat_platform/alert_123' }, output: none }],
  async run({ reference }, { cases }) {
    return (await cases.find(reference)) ?? none
  },
})
