import { objectSchema, text, time } from './page.ts'

/** One line of the timeline of a case. */
export const caseEntrySchema = objectSchema({
  at: time,
  by: { ...text, description: '`run <uuid>`, `grouping of repeats`, or the name of an API key.' },
  kind: { enum: ['opened', 'alert', 'changed', 'note', 'run_ended'] },
  text: { ...text, description: 'Plain text.' },
  changes: { type: ['object', 'null'], description: 'Of `changed`: the new values.' },
})
