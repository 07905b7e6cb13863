import { apiActorSchema } from './run.ts'

/** An action of a destructive skill in a case. */
export const apiCaseActionSchema = {
  type: 'object',
  additionalProperties: false,
  required: [
    'skill',
    'run_uuid',
    'playbook',
    'path',
    'step_id',
    'input',
    'outcome',
    'status',
    'error',
    'decisions',
    'started_at',
    'at',
  ],
  properties: {
    skill: { type: 'string' },
    run_uuid: { type: 'string', format: 'uuid' },
    playbook: { type: 'string' },
    path: { type: 'string', description: 'Path of the step in the run.' },
    step_id: { type: ['string', 'null'] },
    input: {
      type: ['object', 'null'],
      description: 'Input of the skill without sensitive values; null if it is too large for a case.',
    },
    target: {
      type: 'object',
      additionalProperties: false,
      required: ['id', 'name'],
      properties: { id: { type: 'string' }, name: { type: 'string' } },
      description:
        'An id in the input, with the name that the other system has for it, such as the name of a machine; absent: not known.',
    },
    outcome: {
      enum: ['accepted', 'unchanged', 'failed', 'unknown'],
      description:
        'accepted: the other system accepted it, and status may tell its progress; unchanged: it was already in effect; failed: it certainly changed nothing; unknown: it may have taken effect.',
    },
    status: { type: ['string', 'null'], description: "The other system's word for its state, e.g. Pending." },
    error: {
      anyOf: [
        { type: 'null' },
        {
          type: 'object',
          additionalProperties: false,
          required: ['code', 'message'],
          properties: { code: { type: 'string' }, message: { type: 'string' } },
        },
      ],
    },
    decisions: {
      type: 'array',
      description: 'Decisions of people before the action, oldest first.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['kind', 'by', 'answer', 'path', 'at'],
        properties: {
          kind: {
            enum: ['approval', 'answer', 'resolution'],
            description:
              "approval: of this action, because it exceeded a limit; answer: to an earlier question of the run; resolution: about the step's unknown outcome.",
          },
          by: apiActorSchema,
          answer: { type: ['string', 'null'], description: 'The chosen answer; null for a form.' },
          path: { type: 'string', description: 'Path of the step that asked.' },
          at: { type: 'integer', minimum: 0, description: 'When (epoch milliseconds).' },
        },
      },
    },
    started_at: { type: 'integer', minimum: 0, description: 'When it started (epoch milliseconds).' },
    at: {
      type: 'integer',
      minimum: 0,
      description: 'When its outcome became known or was found to be unknown (epoch milliseconds).',
    },
  },
} as const
