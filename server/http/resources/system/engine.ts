import { limitOf } from '../../../../core/destructive/policy.ts'
import type { Organization } from '../../../../core/domain/organization.ts'
import { destructiveClasses } from '../../../../core/plugin/index.ts'
import type { OrganizationScope } from '../../../../core/ports/common.ts'
import { isInScope } from '../../../../core/common/scope.ts'
import { patterns } from '../../request/patterns.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { requireWholeScope } from '../../caller/authenticate.ts'
import { actorSchema } from './audit.ts'
import { objectSchema, text, textOrNull, time, timeOrNull } from './page.ts'
import { type Caller } from '../../caller/caller.ts'

const count = { type: 'integer', minimum: 0 } as const

/** Answer of `GET engine`. */
export const apiEngineSchema = objectSchema({
  state: { enum: ['running', 'paused'] },
  paused_since: timeOrNull,
  paused_by: { ...textOrNull, description: 'Name of the API key.' },
  paused_actor: { anyOf: [actorSchema, { type: 'null' }], description: 'Who paused the runs.' },
  reason: textOrNull,
  queued: { type: 'integer', description: 'Queued runs of the organizations of the API key.' },
  recovering: {
    ...count,
    description:
      'Runs of all organizations watched after crashes of the process. The node that watches them starts no other run meanwhile.',
  },
  storm: { type: 'boolean', description: 'Whether one of the organizations has an alert storm.' },
  organizations: {
    type: 'array',
    description:
      'Organizations with queued runs or alerts in the last minute; longest queues first, at most 100.',
    items: objectSchema({
      organization_code: text,
      queued: { ...count, description: 'Queued runs.' },
      working: {
        ...count,
        description: 'Active runs on all nodes; those of other nodes are counted every five seconds.',
      },
      max_working: {
        ...count,
        description: 'Limit of active runs on all nodes while other organizations have queued ones.',
      },
      max_queued: {
        ...count,
        description: 'Limit of queued runs; beyond it, alerts with a type are refused.',
      },
      storm: { type: 'boolean', description: 'More alerts than usual, or a half-full queue.' },
      received_per_minute: count,
      grouped_per_minute: { ...count, description: 'Alerts that joined a case as repeats.' },
      refused_per_minute: {
        ...count,
        description: 'Alerts refused with 503 because the queue was full.',
      },
      ended_per_minute: { ...count, description: 'Runs.' },
    }),
  },
  groups: {
    type: 'array',
    description: 'The 20 largest groups that currently accept repeats.',
    items: objectSchema({
      organization_code: text,
      alert_id: { ...text, description: 'The alert that repeats join.' },
      case_id: textOrNull,
      alert_type: textOrNull,
      grouped_because: {
        ...textOrNull,
        description: 'What repeats have in common, phrased to follow "because"; null: not recorded.',
      },
      alerts: { ...count, description: 'Including the first alert.' },
      begins_at: time,
      last_at: { ...time, description: 'Time of the newest repeat (epoch milliseconds).' },
      ends_at: time,
    }),
  },
  destructive: {
    type: 'array',
    description: 'Classes of destructive actions in the last hour, or waiting for an approval.',
    items: objectSchema({
      organization_code: text,
      class: { enum: destructiveClasses },
      uses: { ...count, description: 'Actions within the last hour.' },
      limit: { ...count, description: 'Limit per hour; further actions wait for an approval.' },
      remaining: { ...count, description: 'Actions left without approval.' },
      held: { ...count, description: 'Actions that wait for an approval; see GET checkpoints.' },
    }),
  },
})

/** Maximum rows of organizations, and of groups. */
const [maxOrganizations, maxGroups] = [100, 20]

async function view({ scope }: Caller, services: Services) {
  const { engine, stores } = services
  const pause = engine.pauses.current()
  const all = await stores.organizations.list('all')
  const organizations = all
    .filter(({ uuid }) => isInScope(scope, uuid))
    .map((organization) => organizationView(organization, engine))
  return {
    state: pause === undefined ? 'running' : 'paused',
    paused_since: pause?.since ?? null,
    paused_by: pause?.by.name ?? null,
    paused_actor: pause?.by ?? null,
    reason: pause?.reason ?? null,
    queued: organizations.reduce((sum, { queued }) => sum + queued, 0),
    recovering: engine.suspects(),
    storm: organizations.some(({ storm }) => storm),
    organizations: organizations
      .filter(isBusy)
      .toSorted((a, b) => b.queued - a.queued || b.received_per_minute - a.received_per_minute)
      .slice(0, maxOrganizations),
    groups: await groupViews(scope, services),
    destructive: await destructiveViews(scope, all, services),
  }
}

const isBusy = (row: ReturnType<typeof organizationView>): boolean =>
  [row.queued, row.working, row.received_per_minute, row.refused_per_minute, row.ended_per_minute].some(
    (n) => n > 0,
  )

function organizationView(
  { uuid, code }: Organization,
  { queuedOf, shareOf, maxQueued, storms }: Services['engine'],
) {
  const { working, most } = shareOf(uuid)
  const queued = queuedOf(uuid)
  const { received, grouped, refused, ended } = storms.rates(uuid)
  return {
    organization_code: code,
    queued,
    working,
    max_working: most,
    max_queued: maxQueued,
    storm: storms.isStorm(uuid) || queued * 2 >= maxQueued,
    received_per_minute: received,
    grouped_per_minute: grouped,
    refused_per_minute: refused,
    ended_per_minute: ended,
  }
}

async function groupViews(scope: OrganizationScope, { stores, directory }: Services) {
  const groups = await stores.alerts.groups(scope, maxGroups)
  return await Promise.all(
    groups.map(
      async ({ organizationUuid, alertId, caseId, type, reason, size, beginsAt, lastAt, endsAt }) => ({
        organization_code: await directory.organizationCode(organizationUuid),
        alert_id: alertId,
        case_id: caseId,
        alert_type: type,
        grouped_because: reason,
        alerts: size,
        begins_at: beginsAt,
        last_at: lastAt,
        ends_at: endsAt,
      }),
    ),
  )
}

async function destructiveViews(
  scope: OrganizationScope,
  organizations: readonly Organization[],
  { stores, engine }: Services,
) {
  const used = await stores.destructiveUses.list(scope)
  return used.flatMap(({ organizationUuid, class: kind, uses, held }) => {
    const organization = organizations.find(({ uuid }) => uuid === organizationUuid)
    if (organization === undefined) return []
    const limit = limitOf(engine.destructiveLimits, organization.destructiveLimits, kind)
    const remaining = Math.max(0, limit - uses)
    return [{ organization_code: organization.code, class: kind, uses, limit, remaining, held }]
  })
}

const getEngine = defineRoute({
  method: 'GET',
  path: '/engine',
  access: 'engine:read',
  summary: 'State of the engine: pause, queued runs, alert storms, and use of destructive skills.',
  answer: apiEngineSchema,
  async handle({ caller }, services) {
    return { body: await view(caller, services) }
  },
})

const pauseEngine = defineRoute({
  method: 'POST',
  path: '/engine/pause',
  once: true,
  access: 'engine:write',
  summary: 'Pauses the runs of all organizations: active steps end, nothing starts, new alerts wait.',
  answer: apiEngineSchema,
  body: {
    required: ['reason'],
    properties: {
      reason: {
        type: 'string',
        minLength: 1,
        maxLength: 500,
        ...patterns.text,
        description: 'Shown to everyone.',
      },
    },
  },
  async handle({ body, caller }, services) {
    requireWholeScope(caller)
    await services.engine.pauses.pause(body.reason, caller.actor)
    return { body: await view(caller, services) }
  },
})

const resumeEngine = defineRoute({
  method: 'POST',
  path: '/engine/resume',
  once: true,
  access: 'engine:write',
  summary: 'Resumes paused runs.',
  answer: apiEngineSchema,
  async handle({ caller }, services) {
    requireWholeScope(caller)
    await services.engine.pauses.resume(caller.actor)
    return { body: await view(caller, services) }
  },
})

export const engineRoutes = [getEngine, pauseEngine, resumeEngine]
