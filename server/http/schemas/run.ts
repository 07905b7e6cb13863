import { triggerKinds } from '../../../core/domain/run.ts'
import { ref } from './ref.ts'

export const apiActorSchema = {
  type: 'object',
  description: 'The actor, as in the audit log.',
  additionalProperties: false,
  required: ['kind', 'id', 'name'],
  properties: {
    kind: { enum: ['account', 'api_key', 'command', 'person', 'run', 'server', 'stranger'] },
    id: { type: 'string', description: 'Uuid of the account, public id of the API key, or uuid of the run.' },
    name: {
      type: 'string',
      description: "Name of the person, of the API key, which can be anything, or of the run's playbook.",
    },
  },
} as const

export const apiStoredErrorSchema = {
  type: 'object',
  required: ['code', 'message'],
  additionalProperties: false,
  properties: {
    code: { type: 'string', description: 'Stable code for programs.' },
    message: { type: 'string', description: 'What happened.' },
    hint: { type: 'string', description: 'What to do about it.' },
    details: { type: 'object' },
  },
} as const

export const apiStepSchema = {
  type: 'object',
  additionalProperties: false,
  required: [
    'path',
    'step_id',
    'name',
    'kind',
    'state',
    'attempt',
    'started_at',
    'ended_at',
    'input',
    'output',
    'error',
    'failed_attempts',
    'resolution',
    'carried_from',
  ],
  properties: {
    path: { type: 'string', description: 'Path in the run, e.g. enrich_ips[2].' },
    step_id: { type: ['string', 'null'], description: 'Id of the step in the playbook.' },
    name: {
      type: 'string',
      description: 'What people call it: its id, else what it does, e.g. lookup ip (virustotal.lookup_ip).',
    },
    kind: { type: 'string', description: 'The skill, or the kind of step: set, if, wait, …' },
    state: { type: 'string', enum: ['started', 'unknown', 'completed', 'failed', 'skipped'] },
    attempt: { type: 'integer', minimum: 1, description: 'The attempt that gave the result, from 1.' },
    started_at: { type: 'integer', minimum: 0, description: 'When it started (epoch milliseconds).' },
    ended_at: {
      type: ['integer', 'null'],
      minimum: 0,
      description: 'When it ended (epoch milliseconds); null until then.',
    },
    input: {
      description:
        'Its input. `[left out]`, like the output, if the inputs and outputs of the run are too large for one answer.',
    },
    output: { description: 'Its output; null until completed.' },
    error: { anyOf: [{ type: 'null' }, ref('#/$defs/stored_error', apiStoredErrorSchema)] },
    resolution: {
      description: "A person's decision about the unknown outcome; else null.",
      anyOf: [
        { type: 'null' },
        {
          type: 'object',
          additionalProperties: false,
          required: ['decision', 'by', 'at', 'actor'],
          properties: {
            decision: { enum: ['ran', 'ran_output_unknown', 'run_again', 'skip'] },
            by: { type: 'string', description: 'Name of the API key.' },
            actor: ref('#/$defs/actor', apiActorSchema),
            at: { type: 'integer', minimum: 0, description: 'Epoch milliseconds.' },
          },
        },
      ],
    },
    carried_from: {
      type: ['string', 'null'],
      format: 'uuid',
      description: 'The run that executed the step, if it was carried over; else null.',
    },
    failed_attempts: {
      type: 'array',
      description: 'Failed attempts that were followed by another.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['attempt', 'started_at', 'ended_at', 'retry_at', 'error'],
        properties: {
          attempt: { type: 'integer', minimum: 1 },
          started_at: { type: 'integer', minimum: 0, description: 'When it started (epoch milliseconds).' },
          ended_at: { type: 'integer', minimum: 0, description: 'When it failed (epoch milliseconds).' },
          retry_at: {
            type: 'integer',
            minimum: 0,
            description: 'When the next attempt may start (epoch milliseconds).',
          },
          error: ref('#/$defs/stored_error', apiStoredErrorSchema),
        },
      },
    },
  },
} as const

/** A run in answers of the API. */
export const apiRunSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'run.schema.json',
  title: 'Run',
  description: 'A run: one execution of a playbook.',
  type: 'object',
  additionalProperties: false,
  required: [
    'run_uuid',
    'organization_code',
    'organization_uuid',
    'playbook',
    'playbook_hash',
    'alert_id',
    'case_id',
    'triggered_by',
    'status',
    'created_at',
    'held_until',
    'started_at',
    'ended_at',
    'cancellation',
    'error',
    'retry_of',
    'retried_by',
    'pruned_at',
  ],
  properties: {
    run_uuid: { type: 'string', format: 'uuid', description: 'Unique id.' },
    organization_code: { type: 'string' },
    organization_uuid: { type: 'string', format: 'uuid', description: 'The organization.' },
    playbook: { type: 'string', description: 'Name of the playbook.' },
    playbook_hash: {
      type: 'string',
      description: 'SHA-256 of its source in hex; GET playbooks/<hash> returns the source.',
    },
    alert_id: { type: ['string', 'null'], description: 'The alert under investigation.' },
    case_id: { type: ['string', 'null'], description: 'The case; null until there is one.' },
    triggered_by: {
      enum: [...triggerKinds, null],
      description: 'The kind of event that started it; null: an alert, a schedule or a person did.',
    },
    status: {
      type: 'string',
      enum: ['queued', 'running', 'waiting', 'completed', 'failed', 'cancelled'],
      description: '`waiting`: a person has to answer a checkpoint or decide about a step.',
    },
    created_at: { type: 'integer', minimum: 0, description: 'When it was queued (epoch milliseconds).' },
    held_until: {
      type: ['integer', 'null'],
      minimum: 0,
      description:
        'When it may start under the rate limit of its playbook (epoch milliseconds); null if it does not wait for one.',
    },
    started_at: {
      type: ['integer', 'null'],
      minimum: 0,
      description: 'When it started (epoch milliseconds); null until then.',
    },
    ended_at: {
      type: ['integer', 'null'],
      minimum: 0,
      description: 'When it ended (epoch milliseconds); null until then.',
    },
    cancellation: {
      description: 'Who requested its cancellation, and when; null if no one did.',
      anyOf: [
        { type: 'null' },
        {
          type: 'object',
          additionalProperties: false,
          required: ['by', 'at', 'actor'],
          properties: {
            by: { type: 'string', description: 'Name of the API key.' },
            actor: ref('#/$defs/actor', apiActorSchema),
            at: { type: 'integer', minimum: 0, description: 'Epoch milliseconds.' },
          },
        },
      ],
    },
    inputs: {
      type: 'object',
      description: 'Inputs other than the alert; sensitive values are replaced.',
    },
    trigger: {
      type: ['object', 'null'],
      description:
        'The event that started it, as expressions see it; null: none did. Sensitive values are replaced. Only when one run is read.',
    },
    error: {
      anyOf: [{ type: 'null' }, ref('#/$defs/stored_error', apiStoredErrorSchema)],
      description: 'Why it failed.',
    },
    retry_of: {
      type: ['string', 'null'],
      format: 'uuid',
      description: 'The run that this one retries; null if it is not a retry.',
    },
    retried_by: {
      type: ['string', 'null'],
      format: 'uuid',
      description: 'The run that retries this one; null if there is none.',
    },
    pruned_at: {
      type: ['integer', 'null'],
      description:
        'When its steps, inputs and output were deleted (epoch milliseconds); null if they were not.',
    },
    output: {
      description:
        'Output of the playbook; only when one run is read. If it is too large for one answer, a string that begins with `[left out` and tells its size.',
    },
    steps: {
      type: 'array',
      items: ref('#/$defs/step', apiStepSchema),
      description:
        'Steps in the order of their start; only when one run is read. If there are more than 5,000: the first 4,000, the newest 1,000, and up to 1,000 that are `unknown`.',
    },
    steps_total: {
      type: 'integer',
      minimum: 0,
      description: 'Total number of steps, including those omitted from `steps`; only when one run is read.',
    },
  },
  $defs: { actor: apiActorSchema, step: apiStepSchema, stored_error: apiStoredErrorSchema },
} as const
