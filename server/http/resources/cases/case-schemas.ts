import { actorSchema } from '../system/audit.ts'
import { objectSchema, text, textOrNull, time } from '../system/page.ts'

/** One line of the timeline of a case. */
export const caseEntrySchema = objectSchema({
  at: time,
  actor: actorSchema,
  request_id: { ...textOrNull, description: 'Of the HTTP request that it came by, as the log has it.' },
  kind: { enum: ['opened', 'alert', 'changed', 'note', 'action', 'run_ended'] },
  text: { ...text, description: 'Plain text.' },
  changes: { type: ['object', 'null'], description: 'Of `changed`: the new values.' },
  action: {
    type: ['object', 'null'],
    description: 'Of `action`: what a destructive skill did, as in `actions` of a case.',
  },
})
