import { caseEntryKinds } from '../../../core/domain/case.ts'
import { closingReasons } from '../../../core/plugin/index.ts'
import { apiCaseFileSchema } from './case-file.ts'
import { apiCaseActionSchema } from './case-action.ts'
import { apiCaseWorkProperties, apiMentionsSchema } from './case-work.ts'
import { apiContainmentSchema } from './containment.ts'
import { ref } from './ref.ts'
import { apiAlertSchema } from './alert.ts'
import { apiActorSchema, apiRunSchema } from './run.ts'

/** A case in answers of the API. */
export const apiCaseSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'case.schema.json',
  title: 'Case',
  description: 'A case: the record of an investigation.',
  type: 'object',
  additionalProperties: false,
  required: [
    'case_id',
    'organization_code',
    'organization_uuid',
    'title',
    'summary',
    'status',
    'severity',
    'verdict',
    'assignee',
    'assignee_id',
    'assignee_state',
    'closing_reason',
    'resolution',
    'revision',
    'created_at',
    'modified_at',
    'closed_at',
    'responded_at',
    'respond_due_at',
    'resolve_due_at',
    'merged_into',
    'split_from',
    'alerts_deleted',
    'runs_deleted',
  ],
  properties: {
    case_id: {
      type: 'string',
      pattern: '^[A-Za-z0-9_]{1,32}-[1-9][0-9]*$',
      description: '<organization code>-<number>.',
    },
    organization_code: { type: 'string' },
    organization_uuid: { type: 'string', format: 'uuid', description: 'The organization.' },
    title: { type: 'string' },
    summary: { type: 'string' },
    status: { type: 'string', enum: ['open', 'in_progress', 'closed'] },
    severity: { type: 'string', enum: ['informational', 'low', 'medium', 'high', 'critical'] },
    verdict: { type: 'string', enum: ['unknown', 'benign', 'suspicious', 'malicious'] },
    assignee: {
      type: ['string', 'null'],
      description: 'The present name of the person, or a text; null: not assigned.',
    },
    assignee_id: {
      type: ['string', 'null'],
      description:
        'Uuid of the account, or public id of the API key; null: not assigned, or `assignee` is a text.',
    },
    assignee_state: {
      enum: ['active', 'disabled', null],
      description: 'Whether the person can act; null: not assigned, or `assignee` is a text.',
    },
    closing_reason: {
      enum: [...closingReasons, null],
      description: 'Why it was closed; null: not closed, or closed without a reason.',
    },
    resolution: { type: 'string', description: 'What was done; empty while it is not closed. Plain text.' },
    revision: {
      type: 'integer',
      minimum: 1,
      description: 'Rises with every change of the fields above; the ETag of the case.',
    },
    created_at: { type: 'integer', minimum: 0, description: 'When it was opened (epoch milliseconds).' },
    modified_at: { type: 'integer', minimum: 0, description: 'When it last changed (epoch milliseconds).' },
    closed_at: {
      type: ['integer', 'null'],
      minimum: 0,
      description: 'When it was last closed (epoch milliseconds); null: it is not closed.',
    },
    responded_at: {
      type: ['integer', 'null'],
      minimum: 0,
      description: 'When a person first acted on it, or it was first closed (epoch milliseconds).',
    },
    respond_due_at: {
      type: ['integer', 'null'],
      minimum: 0,
      description: 'Target of the response (epoch milliseconds); null: there is none for its severity.',
    },
    resolve_due_at: {
      type: ['integer', 'null'],
      minimum: 0,
      description:
        'Target of the closing (epoch milliseconds), without the time it was closed before; null: there is none for its severity.',
    },
    merged_into: {
      type: ['string', 'null'],
      description:
        'The case that this one was merged into: its alerts and runs are there. Null: it was not merged.',
    },
    split_from: {
      type: ['string', 'null'],
      description: 'The case whose alerts this one was opened with by hand; else null.',
    },
    alerts_deleted: {
      type: 'integer',
      minimum: 0,
      description: 'How many of its alerts the retention policy deleted.',
    },
    runs_deleted: {
      type: 'integer',
      minimum: 0,
      description: 'How many of its runs the retention policy deleted.',
    },
    alerts: {
      type: 'array',
      items: ref('alert.schema.json', apiAlertSchema),
      description: 'The newest 50; only when one case is read.',
    },
    runs: {
      type: 'array',
      items: ref('run.schema.json', apiRunSchema),
      description: 'The newest 50; only when one case is read.',
    },
    actions_total: {
      type: 'integer',
      minimum: 0,
      description: 'Actions of the whole case; only when one case is read.',
    },
    actions: {
      type: 'array',
      description:
        'Destructive actions, such as an isolation: the newest 50, oldest first, in their last known state; only when one case is read.',
      items: ref('#/$defs/action', apiCaseActionSchema),
    },
    containments: {
      type: 'array',
      description:
        'Actions that stay in effect until they are undone: the newest 50, newest first; only when one case is read.',
      items: ref('containment.schema.json', apiContainmentSchema),
    },
    observables: {
      type: 'array',
      description:
        'Observables that the newest 20 runs found and looked up, highest risk first; only when one case is read.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['kind', 'value', 'cases', 'learned', 'used'],
        properties: {
          kind: {
            enum: ['ip', 'domain', 'url', 'hash', 'email', 'host', 'user', 'vulnerability', 'company'],
          },
          value: { type: 'string' },
          cases: {
            type: 'integer',
            minimum: 0,
            description: 'Cases of the organizations of the API key that have it, this one included.',
          },
          learned: {
            type: 'array',
            description: 'Findings of lookups, newest first.',
            items: {
              type: 'object',
              additionalProperties: false,
              required: ['source', 'run_uuid', 'path', 'at', 'score', 'level', 'summary', 'error'],
              properties: {
                source: { type: 'string', description: 'The skill.' },
                run_uuid: { type: 'string', format: 'uuid' },
                path: { type: 'string', description: 'Path of the step in the run.' },
                at: { type: 'integer', minimum: 0, description: 'When (epoch milliseconds).' },
                score: {
                  type: ['number', 'null'],
                  description: 'Risk from 0 to 100; null if the source has none or the lookup failed.',
                },
                level: { type: ['string', 'null'], description: "The source's own word." },
                summary: { type: ['string', 'null'], description: "The source's own word." },
                error: {
                  description: 'Why the lookup failed; null if it succeeded.',
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
              },
            },
          },
          used: {
            type: 'array',
            description:
              'Other steps with the value in their input, newest first. If this and learned are empty, it was not looked up.',
            items: {
              type: 'object',
              additionalProperties: false,
              required: ['source', 'run_uuid', 'path', 'at', 'state', 'is_question'],
              properties: {
                source: { type: 'string', description: 'The skill.' },
                run_uuid: { type: 'string', format: 'uuid' },
                path: { type: 'string', description: 'Path of the step in the run.' },
                at: { type: 'integer', minimum: 0, description: 'When (epoch milliseconds).' },
                state: { enum: ['started', 'unknown', 'completed', 'failed'] },
                is_question: { type: 'boolean', description: 'Whether the step asks a person.' },
              },
            },
          },
        },
      },
    },
    files: {
      type: 'array',
      description: 'Files of the case, oldest first; only when one case is read.',
      items: apiCaseFileSchema,
    },
    ...apiCaseWorkProperties,
    timeline_total: {
      type: 'integer',
      minimum: 0,
      description: 'Number of entries in the timeline; only when one case is read.',
    },
    timeline: {
      type: 'array',
      description: 'The newest 100, oldest first; only when one case is read.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['at', 'actor', 'request_id', 'kind', 'text', 'changes', 'action', 'mentions'],

        properties: {
          at: { type: 'integer', minimum: 0, description: 'When (epoch milliseconds).' },
          actor: apiActorSchema,
          request_id: {
            type: ['string', 'null'],
            description: 'Id of the HTTP request, as in the log.',
          },
          kind: {
            type: 'string',
            enum: caseEntryKinds,
          },
          text: { type: 'string', description: 'Plain text; of a note by a person, Markdown.' },
          mentions: apiMentionsSchema,
          changes: {
            anyOf: [
              { type: 'null' },
              {
                type: 'object',
                additionalProperties: false,
                properties: {
                  title: { type: 'string' },
                  summary: { type: 'string' },
                  status: { enum: ['open', 'in_progress', 'closed'] },
                  severity: { enum: ['informational', 'low', 'medium', 'high', 'critical'] },
                  verdict: { enum: ['unknown', 'benign', 'suspicious', 'malicious'] },
                  assignee: { type: ['string', 'null'] },
                  closing_reason: {
                    enum: [...closingReasons, null],
                  },
                  resolution: { type: 'string' },
                },
              },
            ],
            description: 'For changed: the new values.',
          },
          action: {
            anyOf: [{ type: 'null' }, ref('#/$defs/action', apiCaseActionSchema)],
            description: 'For action: the action as known at this time.',
          },
        },
      },
    },
  },
  $defs: { action: apiCaseActionSchema },
} as const
