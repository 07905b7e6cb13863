import {
  collectPages,
  ConnectionError,
  defineSkill,
  isObject,
  leftOutProperties,
  SkillError,
  valueAt,
  type HttpClient,
} from 'tocsin/plugin'
import { decodePage, furthestOffset } from '../alert-record.ts'
import { jsonIn } from '../answer-body.ts'
import { connection } from '../connection.ts'
import { decodePlaybookAlert, detailRequest, type PlaybookAlert } from '../playbook-alert-record.ts'
import { absoluteRange } from '../time-range.ts'

const textOrNull = { type: ['string', 'null'] } as const
const time = { type: 'string', maxLength: 40, examples: ['2026-01-12T08:00:00Z'] } as const
const pageSize = 100
/** Details need one call per alert. */
const mostDetails = 50
/** Concurrent detail calls. */
const atOnce = 5

const alert = {
  type: 'object',
  required: [
    'id',
    'category',
    'title',
    'status',
    'priority',
    'assignee',
    'created',
    'updated',
    'raw',
    'details',
  ],
  additionalProperties: false,
  properties: {
    id: { type: 'string' },
    category: textOrNull,
    title: textOrNull,
    status: { ...textOrNull, description: 'New, InProgress, Resolved, Dismissed or another.' },
    priority: { ...textOrNull, description: 'Informational, Moderate, High or another.' },
    assignee: textOrNull,
    created: { ...textOrNull, description: 'ISO 8601 in UTC, as the provider wrote it.' },
    updated: textOrNull,
    raw: { type: 'object', additionalProperties: true, description: 'The alert as returned by the search.' },
    details: {
      type: ['object', 'null'],
      additionalProperties: true,
      description: 'The panels of the alert.',
      properties: {
        panel_evidence_summary: {
          type: ['object', 'null'],
          additionalProperties: true,
          properties: {
            exposed_secret: {
              'x-sensitive': true,
              description: 'For identity exposures: hashes of the password and a hint.',
            },
          },
        },
      },
    },
  },
} as const

export const getPlaybookAlerts = defineSkill({
  name: 'get_playbook_alerts',
  title: 'Get Playbook Alerts',
  description:
    'Searches playbook alerts by entity, status, priority, category and time, newest first; with details: true it also ' +
    'fetches the panels of each.',
  docs: 'https://api.recordedfuture.com/playbook-alert',
  effect: 'read',
  connection,
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      entity: list('Ids of entities, e.g. idn:example.com.'),
      statuses: {
        type: 'array',
        uniqueItems: true,
        items: { type: 'string', enum: ['New', 'InProgress', 'Resolved', 'Dismissed'] },
      },
      priority: {
        type: 'array',
        uniqueItems: true,
        items: { type: 'string', enum: ['Informational', 'Moderate', 'High'] },
      },
      category: list('Categories, e.g. domain_abuse, cyber_vulnerability, identity_novel_exposures.'),
      assignee: list('Ids of users, e.g. uhash:AbCdEf1234.'),
      created_from: { ...time, description: 'Created at this time or later: a time with a time zone.' },
      created_until: { ...time, description: 'Created at this time or earlier: a time with a time zone.' },
      updated_from: { ...time, description: 'Changed at this time or later: a time with a time zone.' },
      updated_until: { ...time, description: 'Changed at this time or earlier: a time with a time zone.' },
      order_by: { type: 'string', enum: ['created', 'updated'], default: 'created' },
      direction: { type: 'string', enum: ['asc', 'desc'], default: 'desc' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: furthestOffset,
        default: 10,
        description: 'Alerts to return.',
      },
      details: {
        type: 'boolean',
        default: false,
        description: `Fetch the panels too, one call for each alert. Then limit is at most ${mostDetails}.`,
      },
    },
  },
  output: {
    type: 'object',
    required: ['alerts', 'counts', 'truncated'],
    additionalProperties: false,
    properties: {
      alerts: { type: 'array', items: alert },
      counts: {
        type: 'object',
        required: ['returned', 'total'],
        additionalProperties: false,
        properties: { returned: { type: 'integer' }, total: { type: ['number', 'null'] } },
      },
      truncated: {
        type: 'boolean',
        description: 'There are more alerts than are returned: narrow the search.',
      },
      ...leftOutProperties,
      without_details: {
        type: 'integer',
        description:
          'Number of alerts whose requested details were deleted, refused or unreadable. Absent: none.',
      },
      without_details_why: {
        type: 'array',
        items: { type: 'string' },
        description: 'The reasons, without duplicates. Absent: no details are missing.',
      },
    },
  },
  examples: [
    {
      title: 'An entity without alerts',
      input: { entity: ['idn:nothing.example'], priority: ['High'] },
      output: { alerts: [], counts: { returned: 0, total: 0 }, truncated: false },
    },
  ],
  async run(input, { http }) {
    const limit = input.limit ?? 10
    if (input.details && limit > mostDetails) throw tooManyDetails(limit)
    const question = {
      order_by: input.order_by ?? 'created',
      direction: input.direction ?? 'desc',
      entity: input.entity,
      statuses: input.statuses,
      priority: input.priority,
      category: input.category,
      assignee: input.assignee,
      created_range: absoluteRange(input.created_from, input.created_until),
      updated_range: absoluteRange(input.updated_from, input.updated_until),
    }
    const { items, complete, total, leftOut } = await collectPages<PlaybookAlert>({
      limit,
      pageSize,
      maxPages: furthestOffset / pageSize,
      idOf: (alert) => alert.id,
      fetch: async ({ offset, size }) => {
        const json = { ...question, from: offset, limit: size }
        return decodePage((await http.post('/playbook-alert/search', { json })).json(), decodePlaybookAlert)
      },
    })
    const found = input.details ? await allWithDetails(items, http) : items.map((alert) => ({ alert }))
    const alerts = found.map(({ alert }) => alert)
    return {
      alerts,
      counts: { returned: alerts.length, total },
      truncated: !complete,
      ...leftOut,
      ...withoutDetails(found),
    }
  },
})

function list<const D extends string>(description: D) {
  return {
    type: 'array',
    maxItems: 100,
    items: { type: 'string', minLength: 1, maxLength: 500 },
    description,
  } as const
}

interface Detailed {
  readonly alert: PlaybookAlert
  /** Why requested details are missing. */
  readonly why?: string
  readonly refusal?: ConnectionError
}

/** Throws ConnectionError `http_403` if all details are refused: the key has no access. */
async function allWithDetails(alerts: readonly PlaybookAlert[], http: HttpClient): Promise<Detailed[]> {
  const found: Detailed[] = []
  for (let from = 0; from < alerts.length; from += atOnce) {
    const some = alerts.slice(from, from + atOnce)
    found.push(...(await Promise.all(some.map((alert) => withDetails(alert, http)))))
  }
  const [first] = found
  if (first?.refusal !== undefined && found.every(({ refusal }) => refusal !== undefined)) throw first.refusal
  return found
}

/** An alert whose details were deleted, refused or missing stays in the list without details. */
async function withDetails(alert: PlaybookAlert, http: HttpClient): Promise<Detailed> {
  const { method, path } = detailRequest(alert)
  const body = method === 'POST' ? { json: {} } : {}
  try {
    const response = await http.request({ method, path, ...body, accept: [404] })
    if (response.status === 404) return { alert, why: 'they were deleted' }
    const details = valueAt(jsonIn(response), 'data')
    return isObject(details) ? { alert: { ...alert, details } } : { alert, why: 'they are unreadable' }
  } catch (error) {
    if (!(error instanceof ConnectionError) || error.code !== 'http_403') throw error
    const category = alert.category?.slice(0, 100) ?? 'no category'
    return { alert, why: `the key has no access to those of ${category} (403)`, refusal: error }
  }
}

function withoutDetails(found: readonly Detailed[]) {
  const reasons = found.flatMap(({ why }) => why ?? [])
  if (reasons.length === 0) return {}
  return { without_details: reasons.length, without_details_why: [...new Set(reasons)].slice(0, 5) }
}

function tooManyDetails(limit: number): SkillError {
  return new SkillError('too_many_details', `details of ${limit} alerts are too many for one step`, {
    hint: `give a limit of at most ${mostDetails}, or leave details out`,
  })
}
