import { collectPages, defineSkill, leftOutProperties, SkillError } from 'tocsin/plugin'
import { decodeAlertRecord, decodePage, furthestOffset, mentions, type IntelAlert } from '../alert-record.ts'
import { connection } from '../connection.ts'
import { timeRange } from '../time-range.ts'

const textOrNull = { type: ['string', 'null'] } as const
const time = { type: 'string', maxLength: 40, examples: ['2026-01-12T08:00:00Z', '-24h'] } as const

const statuses = ['New', 'Pending', 'In Progress', 'Resolved', 'Dismissed', 'Flag for Tuning'] as const
const blocks = [
  'ai_insights',
  'enriched_entities',
  'hits',
  'owner_organisation_details',
  'review',
  'triggered_by',
  'type',
  'url',
] as const
const defaultBlocks = ['review', 'type', 'url'] as const
/** Fields that contain entities. */
const entityBlocks = ['hits', 'triggered_by'] as const
/** They can add megabytes to an alert. */
const heavyBlocks = ['hits', 'triggered_by', 'enriched_entities'] as const

const entity = {
  type: 'object',
  required: ['id', 'name', 'type'],
  additionalProperties: false,
  properties: { id: textOrNull, name: textOrNull, type: textOrNull },
} as const

const alert = {
  type: 'object',
  required: [
    'id',
    'title',
    'type',
    'status',
    'assignee',
    'triggered',
    'rule',
    'portal_url',
    'entities',
    'raw',
  ],
  additionalProperties: false,
  properties: {
    id: { type: 'string' },
    title: textOrNull,
    type: { ...textOrNull, description: 'EVENT, REFERENCE, ENTITY or another.' },
    status: { ...textOrNull, description: 'As the portal shows it.' },
    assignee: textOrNull,
    triggered: { ...textOrNull, description: 'ISO 8601 in UTC, as the provider wrote it.' },
    rule: {
      type: 'object',
      required: ['id', 'name'],
      additionalProperties: false,
      properties: { id: textOrNull, name: textOrNull },
    },
    portal_url: textOrNull,
    entities: { type: 'array', items: entity, description: 'Those in the requested blocks.' },
    raw: {
      type: 'object',
      additionalProperties: true,
      description: 'The alert as the provider returned it.',
    },
  },
} as const

export const listIntelAlerts = defineSkill({
  name: 'list_alerts',
  title: 'List Alerts',
  description:
    'Lists the alerts that the provider has triggered, newest first, by status, time range and entity.',
  docs: 'https://docs.recordedfuture.com/reference/alerts-search',
  effect: 'read',
  connection,
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      status: { type: 'string', enum: statuses, description: 'As the portal shows it.' },
      triggered_from: {
        ...time,
        description: 'Triggered at this time or later: a time with zone, or e.g. -24h.',
      },
      triggered_to: {
        ...time,
        description: 'Triggered at this time or earlier, written as triggered_from is.',
      },
      entity: {
        type: 'string',
        minLength: 1,
        maxLength: 500,
        description:
          'Id or name of an entity, ignoring case. The provider cannot filter by it: the first 1000 alerts are read ' +
          'and filtered here; `incomplete` is true if there were more.',
      },
      priority: {
        type: 'string',
        description: 'Not supported: these alerts have no priority. Use get_playbook_alerts instead.',
      },
      freetext: {
        type: 'string',
        minLength: 1,
        maxLength: 500,
        description: 'Words in the alert; the provider searches for them.',
      },
      alert_rule: {
        type: 'array',
        maxItems: 100,
        items: { type: 'string', minLength: 1 },
        description: 'Ids of rules.',
      },
      assignee: { type: 'string', minLength: 1, maxLength: 200, description: 'An email address, or NONE.' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: furthestOffset,
        default: 100,
        description: 'Alerts to return.',
      },
      direction: {
        type: 'string',
        enum: ['asc', 'desc'],
        default: 'desc',
        description: 'Order by the time of triggering.',
      },
      fields: {
        type: 'array',
        uniqueItems: true,
        items: { type: 'string', enum: blocks },
        default: defaultBlocks,
        description:
          'Blocks of an alert to request in addition to id, log, title and rule. With hits, an alert can have megabytes.',
      },
    },
  },
  output: {
    type: 'object',
    required: ['alerts', 'counts', 'truncated', 'incomplete'],
    additionalProperties: false,
    properties: {
      alerts: { type: 'array', items: alert },
      counts: {
        type: 'object',
        required: ['returned', 'total'],
        additionalProperties: false,
        properties: {
          returned: { type: 'integer' },
          total: {
            type: ['number', 'null'],
            description: 'The provider’s total before filtering by entity.',
          },
        },
      },
      truncated: {
        type: 'boolean',
        description: 'There are more alerts than are returned: narrow the time range.',
      },
      incomplete: {
        type: 'boolean',
        description: 'Some alerts were not compared with the entity, so matches may be missing.',
      },
      ...leftOutProperties,
    },
  },
  examples: [
    {
      title: 'Open alerts of a day without alerts',
      input: { status: 'New', triggered_from: '2025-01-01T00:00:00Z', triggered_to: '2025-01-02T00:00:00Z' },
      output: { alerts: [], counts: { returned: 0, total: 0 }, truncated: false, incomplete: false },
    },
  ],
  async run(input, { http }) {
    if (input.priority !== undefined) throw priorityRefused()
    const { entity } = input
    const fields = new Set([
      ...(input.fields ?? defaultBlocks),
      ...(entity === undefined ? [] : entityBlocks),
    ])
    const query = {
      triggered: timeRange(input.triggered_from, input.triggered_to),
      statusInPortal: input.status,
      freetext: input.freetext,
      alertRule: input.alert_rule,
      assignee: input.assignee,
      orderBy: 'triggered',
      direction: input.direction ?? 'desc',
      fields: [...fields].join(','),
    }
    // Small pages for large alerts, so that a page stays below the response size limit.
    const pageSize = heavyBlocks.some((block) => fields.has(block)) ? 25 : 100
    const { items, complete, total, leftOut } = await collectPages<IntelAlert>({
      limit: input.limit ?? 100,
      pageSize,
      maxPages: furthestOffset / pageSize,
      idOf: (alert) => alert.id,
      keep: entity === undefined ? undefined : (alert) => mentions(alert, entity),
      fetch: async ({ offset, size }) => {
        const page = { from: offset, limit: size }
        return decodePage(
          (await http.get('/alert/v3', { query: { ...query, ...page } })).json(),
          decodeAlertRecord,
        )
      },
    })
    return {
      alerts: items,
      counts: { returned: items.length, total },
      truncated: !complete,
      incomplete: entity !== undefined && (!complete || leftOut.unreadable !== undefined),
      ...leftOut,
    }
  },
})

function priorityRefused(): SkillError {
  return new SkillError('priority_not_supported', 'alerts of this list have no priority to filter by', {
    hint: 'use get_playbook_alerts for alerts with a priority, or filter by status and time here',
  })
}
