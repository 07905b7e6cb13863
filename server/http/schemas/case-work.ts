import { apiActorSchema } from './run.ts'

const time = { type: 'integer', minimum: 0 } as const
const timeOrNull = { type: ['integer', 'null'], minimum: 0 } as const

/** A task of a case. */
export const apiCaseTaskSchema = {
  type: 'object',
  additionalProperties: false,
  required: [
    'task_id',
    'title',
    'owner',
    'owner_id',
    'owner_state',
    'due_at',
    'revision',
    'created_at',
    'created_by',
    'done_at',
    'done_by',
  ],
  properties: {
    task_id: { type: 'string', format: 'uuid' },
    title: { type: 'string' },
    owner: { type: ['string', 'null'], description: 'Who is to do it; null: not assigned yet.' },
    owner_id: {
      type: ['string', 'null'],
      description:
        'Uuid of the account, or public id of the API key; null: not assigned, or `owner` is a text.',
    },
    owner_state: { enum: ['active', 'disabled', null], description: 'Whether the person can act.' },
    due_at: { ...timeOrNull, description: 'Epoch milliseconds; null: any time.' },
    revision: { type: 'integer', minimum: 1, description: 'Rises with every change; its ETag.' },
    created_at: { ...time, description: 'Epoch milliseconds.' },
    created_by: apiActorSchema,
    done_at: { ...timeOrNull, description: 'When it was finished (epoch milliseconds); null: to do.' },
    done_by: { anyOf: [{ type: 'null' }, apiActorSchema] },
  },
} as const

/** A task in a list, with its case. */
export const apiListedTaskSchema = {
  ...apiCaseTaskSchema,
  required: [...apiCaseTaskSchema.required, 'case'],
  properties: {
    ...apiCaseTaskSchema.properties,
    case: {
      type: 'object',
      additionalProperties: false,
      required: ['case_id', 'organization_code', 'title', 'status', 'severity'],
      properties: {
        case_id: { type: 'string' },
        organization_code: { type: 'string' },
        title: { type: 'string' },
        status: { enum: ['open', 'in_progress', 'closed'] },
        severity: { enum: ['informational', 'low', 'medium', 'high', 'critical'] },
      },
    },
  },
} as const

/** A link of a case with another one. */
export const apiCaseLinkSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['case_id', 'title', 'status', 'severity', 'kind', 'at', 'by'],
  properties: {
    case_id: { type: 'string', description: 'The other case.' },
    title: { type: 'string' },
    status: { enum: ['open', 'in_progress', 'closed'] },
    severity: { enum: ['informational', 'low', 'medium', 'high', 'critical'] },
    kind: {
      enum: ['related', 'duplicate_of', 'duplicated_by'],
      description:
        'duplicate_of: this case is a duplicate of the other one; duplicated_by: the other way round.',
    },
    at: { ...time, description: 'When they were linked (epoch milliseconds).' },
    by: apiActorSchema,
  },
} as const

/** Fields of a case. */
export const apiCaseWorkProperties = {
  tasks: {
    type: 'array',
    items: apiCaseTaskSchema,
    description: 'In the order of their creation; only when one case is read.',
  },
  links: {
    type: 'array',
    items: apiCaseLinkSchema,
    description: 'Cases that people linked with this one, oldest first; only when one case is read.',
  },
} as const

/** People who are mentioned in a note. */
export const apiMentionsSchema = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['account_id', 'name'],
    properties: { account_id: { type: 'string', format: 'uuid' }, name: { type: 'string' } },
  },
  description: 'For note: the people it mentions, with their names at that time.',
} as const
