import { containmentStates } from '../../../core/destructive/containment.ts'
import { endings, seenStates } from '../../../core/destructive/checks/state-checks.ts'
import { apiCaseActionSchema } from './case-action.ts'
import { apiActorSchema } from './run.ts'

/** A containment in answers of the API. */
export const apiContainmentSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'containment.schema.json',
  title: 'Containment',
  description: 'A destructive action that stays in effect until it is undone, such as an isolated machine.',
  type: 'object',
  additionalProperties: false,
  required: [
    'containment_id',
    'organization_code',
    'case_id',
    'reason',
    'state',
    'action',
    'connection',
    'undone_by',
    'can_undo',
    'undo_run_uuid',
    'owner',
    'expires_at',
    'unless',
    'note',
    'state_by',
    'state_unreadable',
    'state_seen',
    'state_seen_since',
    'state_checked_at',
    'state_error',
    'ended_by',
    'created_at',
    'changed_at',
  ],
  properties: {
    containment_id: { type: 'string', format: 'uuid' },
    organization_code: { type: 'string' },
    case_id: { type: ['string', 'null'], description: 'The case of the run; null: it has none.' },
    reason: { type: ['string', 'null'], description: 'Title of the case.' },
    state: {
      enum: containmentStates,
      description:
        'active: in effect, as far as Tocsin knows; undoing: a run undoes it; undone: a call undid it; failed: the run ended without undoing it; unknown: a call may have undone it; overdue: it has expired and was not undone.',
    },
    action: {
      ...apiCaseActionSchema,
      description: 'The action. If its outcome is unknown, it may not be in effect.',
    },
    connection: {
      type: ['string', 'null'],
      description: 'Name of the connection; null: unknown, or the only one of the plugin.',
    },
    undone_by: { type: 'string', description: 'The skill that undoes it.' },
    can_undo: {
      type: 'boolean',
      description: 'Whether the input of that skill is known. If not, undo it in the other system.',
    },
    undo_run_uuid: {
      type: ['string', 'null'],
      description: 'The last run that undid it or tried to; null: none.',
    },
    owner: {
      ...apiActorSchema,
      description: 'The person or key that started the run; otherwise the run, named after its playbook.',
    },
    expires_at: {
      type: ['integer', 'null'],
      description: 'When it is undone without a request (epoch milliseconds); null: only people undo it.',
    },
    unless: {
      type: ['string', 'null'],
      description: 'The condition under which it stays when it expires; null: none.',
    },
    note: {
      type: ['string', 'null'],
      description: 'Why it is failed or overdue, or stays beyond its expiry; null: nothing to say.',
    },
    state_by: {
      type: ['string', 'null'],
      description: 'The skill that reads whether it is in effect; null: none, or not stated.',
    },
    state_unreadable: {
      type: ['string', 'null'],
      description: 'Why nothing can read that; null: `state_by`, or not stated.',
    },
    state_seen: {
      enum: [...seenStates, null],
      description:
        'What the last successful check says. contained: in effect; released: not in effect; unclear: neither; null: there was none.',
    },
    state_seen_since: {
      type: ['integer', 'null'],
      description: 'When the first of the consecutive checks began that say so (epoch milliseconds).',
    },
    state_checked_at: {
      type: ['integer', 'null'],
      description: 'When the last check ended, successful or not (epoch milliseconds); null: never.',
    },
    state_error: {
      type: ['object', 'null'],
      additionalProperties: false,
      required: ['code', 'message'],
      properties: { code: { type: 'string' }, message: { type: 'string' } },
      description: 'Why the last check failed; null: it did not.',
    },
    ended_by: {
      enum: [...endings, null],
      description:
        'Who undid it. call: a call of Tocsin; outside: somebody outside of Tocsin, `changed_at` is when a check noticed it; unknown: one of the two; null: not undone.',
    },
    created_at: { type: 'integer', minimum: 0, description: 'When (epoch milliseconds).' },
    changed_at: {
      type: 'integer',
      minimum: 0,
      description: 'When its state last changed (epoch milliseconds).',
    },
  },
} as const
