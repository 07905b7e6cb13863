import { observableKinds, severities } from '../../../core/plugin/index.ts'
import { ref } from './ref.ts'
import { apiRunSchema } from './run.ts'

/** An alert in answers of the API. */
export const apiAlertSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'alert.schema.json',
  title: 'Alert',
  description:
    'An alert. Creating one returns exactly the required fields and alert_content. Lists add the fields read from the content and those set by the investigation, and on request alert_content or content_preview. Reading one adds observables and runs.',
  type: 'object',
  additionalProperties: false,
  required: [
    'alert_provider',
    'organization_code',
    'alert_type',
    'created_at_source',
    'alert_id',
    'alert_uuid',
    'created_at',
    'modified_at',
    'created_by',
    'organization_uuid',
    'investigation_retry_count',
    'investigation_status',
  ],
  properties: {
    alert_content: {
      type: 'string',
      description: 'Content of the alert, exactly as sent. In lists only on request.',
    },
    content_preview: {
      type: 'string',
      maxLength: 200,
      description: 'Beginning of the content in one line. Only in lists, on request.',
    },
    content_match: {
      type: 'object',
      description:
        'Where the content matches the words of a search. Only in lists with `q` and `content=preview`, if a value of the content contains a word. Values that look like secrets are never in it.',
      additionalProperties: false,
      required: ['path', 'text', 'marks'],
      properties: {
        path: {
          type: ['string', 'null'],
          description: 'Where the value is in the JSON, e.g. user.ips[0]; null if the content is not JSON.',
        },
        text: { type: 'string', maxLength: 160, description: 'Part of the value in one line.' },
        marks: {
          type: 'array',
          description: 'Matches in the text: positions of the first character, and behind the last.',
          items: { type: 'array', minItems: 2, maxItems: 2, items: { type: 'integer', minimum: 0 } },
        },
      },
    },
    alert_provider: {
      type: 'string',
      pattern: '^[A-Za-z0-9_]{1,32}$',
      description: 'Code of the provider, as registered.',
    },
    organization_code: {
      type: 'string',
      pattern: '^[A-Za-z0-9_]{1,32}$',
      description: 'Code of the organization, as registered.',
    },
    alert_type: {
      type: ['string', 'null'],
      minLength: 1,
      maxLength: 200,
      description: 'Type of the alert; null if none was given. Alerts without type are not investigated.',
    },
    created_at_source: {
      type: ['integer', 'null'],
      minimum: -9223372036854776000,
      maximum: 9223372036854776000,
      description:
        "int64: time of the alert in the source's own unit; null if not given. May exceed 2^53, so use a JSON parser that keeps 64 bits.",
    },
    alert_id: {
      type: 'string',
      pattern: '^[A-Za-z0-9_]{1,32}-[A-Za-z0-9_]{1,32}-[1-9][0-9]*$',
      description: '<organization code>-<provider>-<sequence number>.',
    },
    alert_uuid: { type: 'string', format: 'uuid', description: 'Unique id.' },
    created_at: {
      type: 'integer',
      minimum: 0,
      description: 'When Tocsin stored the alert (epoch milliseconds).',
    },
    modified_at: { type: 'integer', minimum: 0, description: 'When it last changed (epoch milliseconds).' },
    created_by: {
      type: 'string',
      format: 'uuid',
      description: 'Uuid of the API key that posted it, or of the connection whose webhook received it.',
    },
    organization_uuid: { type: 'string', format: 'uuid', description: 'The organization.' },
    investigation_retry_count: {
      type: 'integer',
      minimum: 0,
      description: 'How often it was investigated again.',
    },
    investigation_status: {
      type: 'integer',
      enum: [0, 5, 10, 15, 20],
      description: '0 Created, 5 Submitted, 10 InProgress, 15 Completed, 20 Failed.',
    },
    title: {
      type: ['string', 'null'],
      maxLength: 200,
      description: 'Title of the alert, read from its content; null if it is unknown.',
    },
    severity: {
      enum: [...severities, null],
      description: 'Severity at the source, read from the content; null if it has none.',
    },
    occurred_at: {
      type: ['integer', 'null'],
      description: 'Time of the event at the source, read from the content (epoch milliseconds), or null.',
    },
    source_id: {
      type: ['string', 'null'],
      description: 'Id of the alert at its source, read from the content, or null.',
    },
    investigator: {
      type: ['string', 'null'],
      description: 'Name of the investigating playbook; null until one is chosen.',
    },
    case_id: { type: ['string', 'null'], description: 'The case; null until there is one.' },
    completed_at: {
      type: ['integer', 'null'],
      minimum: 0,
      description: 'When the investigation ended (epoch milliseconds); null until then.',
    },
    grouped_with: {
      type: ['string', 'null'],
      description:
        'For a repeat: the first alert of its group, whose investigation and case it shares; else null.',
    },
    grouped_because: {
      type: ['string', 'null'],
      description: 'Why it is a repeat, phrased to follow "because"; else null.',
    },
    joined_because: {
      type: ['string', 'null'],
      description:
        'For an alert that joined the case of earlier alerts by a correlation rule or by hand: why, phrased to follow "because"; else null.',
    },
    observables: {
      type: 'array',
      description: 'Observables of the alert, read from its content.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['kind', 'value', 'cases'],
        properties: {
          kind: { type: 'string', enum: observableKinds },
          value: { type: 'string' },
          cases: {
            type: 'integer',
            minimum: 0,
            description: 'Cases of the organizations of the API key that have it.',
          },
        },
      },
    },
    runs: {
      type: 'array',
      items: ref('run.schema.json', apiRunSchema),
      description: 'Runs of this alert, or of the first alert of its group; newest first.',
    },
  },
} as const
