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

/** Who did it. */
export const actorSchema = objectSchema({
  kind: { enum: actorKinds },
  id: { type: 'string', description: 'E.g. the id of an API key, never its value.' },
  name: text,
})

/** An entry of the audit log. */
export const apiAuditEntrySchema = objectSchema({
  sequence: { type: 'integer', minimum: 1, description: 'From 1, without gaps.' },
  at: time,
  action: { enum: auditActions },
  actor: actorSchema,
  request_id: { ...textOrNull, description: 'The HTTP request of the change, as in the log.' },
  organization_uuid: { ...textOrNull, description: 'null: not about a single organization.' },
  organization_code: textOrNull,
  subject: objectSchema({ kind: { enum: auditSubjects }, id: text, name: text }),
  details: { type: 'object' },
  hash: {
    type: 'string',
    minLength: 64,
    maxLength: 64,
    description:
      'SHA-256 of the previous hash (64 zeros for the first entry), a line feed, and this entry without `hash` as canonical JSON (RFC 8785).',
  },
})

const listAudit = defineRoute({
  method: 'GET',
  path: '/audit',
  access: 'audit:read',
  summary:
    'The audit log, newest first. A key that is limited to organizations sees only entries about one of them.',
  answer: pageSchema(apiAuditEntrySchema),
  query: {
    ...pageParameters,
    action: { type: 'string', enum: auditActions },
    actor: { type: 'string', description: 'Id or name of the actor.' },
    subject: { type: 'string', description: 'Id of the changed object, e.g. the uuid of a run.' },
    skill: { type: 'string', description: 'Name of the called, held or resolved skill.' },
    organization: { type: 'string', description: 'Code of an organization.' },
    sort: {
      type: 'string',
      enum: ['-sequence', 'sequence'],
      default: '-sequence',
      description: 'Newest first with `-`.',
    },
    after: { ...epochMs, description: 'At this time or later (epoch milliseconds).' },
    before: { ...epochMs, description: 'Before this time (epoch milliseconds).' },
  },
  async handle({ query, caller }, { stores, directory }) {
    const { organization, action, actor, subject, skill, after, before } = query
    const scope = await directory.scopeWithin(caller.scope, organization)
    const page = await stores.audit.list(
      scope,
      { action, actor, subject, skill, after, before },
      pageOf(query),
    )
    return { body: await pageView(page, (entry) => entry) }
  },
})

export const auditRoutes = [listAudit]
