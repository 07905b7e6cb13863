import { actorKinds, auditActions, auditSubjects } from '../../../../core/domain/audit.ts'
import { defineRoute } from '../../routing/route.ts'
import {
  epochMs,
  objectSchema,
  pageOf,
  pageParameters,
  pageSchema,
  pageView,
  text,
  textOrNull,
  time,
} from './page.ts'
import { admins } from '../../caller/caller.ts'

/** Who did something. */
export const actorSchema = objectSchema({
  kind: { enum: actorKinds },
  id: { type: 'string', description: 'E.g. the id of an API key; never its value.' },
  name: text,
})

const entrySchema = objectSchema({
  sequence: { type: 'integer', minimum: 1, description: 'From 1, without gaps.' },
  at: time,
  action: { enum: auditActions },
  actor: actorSchema,
  request_id: { ...textOrNull, description: 'Of the HTTP request that it came by, as the log has it.' },
  organization_uuid: { ...textOrNull, description: 'null: it concerns no single organization.' },
  organization_code: textOrNull,
  subject: objectSchema({ kind: { enum: auditSubjects }, id: text, name: text }),
  details: { type: 'object' },
  hash: {
    type: 'string',
    minLength: 64,
    maxLength: 64,
    description:
      'SHA-256 of the hash before (64 zeros for the first entry), a line feed, and this entry without `hash` as canonical JSON (RFC 8785).',
  },
})

const listAudit = defineRoute({
  method: 'GET',
  path: '/audit',
  access: admins,
  summary:
    'The audit log, newest first: who did what, when, to what. A key that is limited to organizations sees what concerns one of them.',
  status: 200,
  answer: pageSchema(entrySchema),
  query: {
    type: 'object',
    additionalProperties: false,
    properties: {
      ...pageParameters,
      action: { type: 'string', enum: auditActions },
      actor: { type: 'string', description: 'Id or name of who did it.' },
      subject: { type: 'string', description: 'Id of what it was done to, e.g. the uuid of a run.' },
      organization: { type: 'string', description: 'Code of an organization.' },
      sort: {
        type: 'string',
        enum: ['-sequence', 'sequence'],
        default: '-sequence',
        description: 'With `-`: newest first.',
      },
      after: { ...epochMs, description: 'At this time or later (epoch milliseconds).' },
      before: { ...epochMs, description: 'Before this time (epoch milliseconds).' },
    },
  },
  async handle({ query, caller }, { stores, directory }) {
    const { organization, action, actor, subject, after, before } = query
    const scope = await directory.scopeWithin(caller.scope, organization)
    const page = await stores.audit.list(scope, { action, actor, subject, after, before }, pageOf(query))
    return { body: await pageView(page, (entry) => entry) }
  },
})

export const auditRoutes = [listAudit]
