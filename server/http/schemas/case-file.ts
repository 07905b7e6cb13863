import { apiActorSchema } from './run.ts'

/** A file of a case. */
export const apiCaseFileSchema = {
  type: 'object',
  additionalProperties: false,
  required: [
    'sha256',
    'name',
    'content_type',
    'detected_type',
    'size',
    'added_at',
    'added_by',
    'deleted_at',
    'deleted_by',
    'deleted_reason',
  ],
  properties: {
    sha256: { type: 'string', description: 'SHA-256 of the content in hexadecimal.' },
    name: { type: 'string' },
    content_type: { type: 'string', description: 'As claimed by the sender.' },
    detected_type: {
      type: ['string', 'null'],
      description: 'What its first bytes look like; null: unknown. Attackers can choose these bytes too.',
    },
    size: { type: 'integer', minimum: 0, description: 'Bytes.' },
    added_at: { type: 'integer', minimum: 0, description: 'When (epoch milliseconds).' },
    added_by: apiActorSchema,
    deleted_at: {
      type: ['integer', 'null'],
      description: 'When the content was withdrawn, or deleted by the retention policy (epoch milliseconds).',
    },
    deleted_by: {
      anyOf: [{ type: 'null' }, apiActorSchema],
      description: 'Who withdrew it; null: it was not withdrawn.',
    },
    deleted_reason: { type: ['string', 'null'], description: 'Why it was withdrawn.' },
  },
} as const
