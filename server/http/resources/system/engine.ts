import { limitOf } from '../../../../core/destructive/policy.ts'
import type { Organization } from '../../../../core/domain/organization.ts'
import { destructiveClasses } from '../../../../core/plugin/index.ts'
import type { Scope } from '../../../../core/ports/common.ts'
import { isInScope } from '../../../../core/common/scope.ts'
import { patterns } from '../../request/patterns.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { requireWholeScope } from '../../caller/whole-scope.ts'
import { actorSchema } from './audit.ts'
import { objectSchema, text, textOrNull, time, timeOrNull } from './page.ts'
import { admins, readers, type Caller } from '../../caller/caller.ts'

const count = { type: 'integer', minimum: 0 } as const

const answer = objectSchema({
  state: { enum: ['running', 'paused'] },
  paused_since: timeOrNull,
  paused_by: { ...textOrNull, description: 'Name of the API key.' },
  paused_actor: { anyOf: [actorSchema, { type: 'null' }], description: 'Who paused them.' },
  reason: textOrNull,
  queued: { type: 'integer', description: 'Runs of the organizations of the API key that have not begun.' },
  recovering: {
    ...count,
    description:
      'Runs of all organizations to be watched after crashes of the process. Until there are none, nothing else begins.',
  },
  storm: { type: 'boolean', description: 'Whether one of the organizations has a storm of alerts.' },
  organizations: {
    type: 'array',
    description:
      'In which something waits or has happened within the last minute; the longest lines first, at most 100.',
    items: objectSchema({
      organization_code: text,
      queued: { ...count, description: 'Runs that have not begun.' },
      working: { ...count, description: 'Runs that have a turn now.' },
      max_working: {
        ...count,
        description: 'So many may have one at most, while other organizations are there.',
      },
      max_queued: { ...count, description: 'From then on alerts that are to be investigated are refused.' },
      storm: { type: 'boolean', description: 'More alerts come than are usual, or the line is half full.' },
      received_per_minute: count,
      grouped_per_minute: { ...count, description: 'Of the alerts, those that joined a case as repeats.' },
      refused_per_minute: {
        ...count,
        description: 'Alerts that were answered 503, since the line was full.',
      },
      ended_per_minute: { ...count, description: 'Runs.' },
    }),
  },
  groups: {
    type: 'array',
    description: 'Groups that take in repeats at present: the largest 20.',
    items: objectSchema({
      organization_code: text,
      alert_id: { ...text, description: 'With which the repeats are grouped.' },
      case_id: textOrNull,
      alerts: { ...count, description: 'The first one included.' },
      begins_at: time,
      last_at: { ...time, description: 'When the newest repeat came (epoch milliseconds).' },
      ends_at: time,
    }),
  },
  destructive: {
    type: 'array',
    description:
      'Classes of destructive actions that happened within the last hour, or wait for an approval.',
    items: objectSchema({
      organization_code: text,
      class: { enum: destructiveClasses },
      uses: { ...count, description: 'Within the last hour.' },
      limit: { ...count, description: 'Per hour; further actions wait for an approval.' },
      remaining: { ...count, description: 'Actions that need no approval now.' },
      held: { ...count, description: 'Actions that wait for an approval: see GET checkpoints.' },
    }),
  },
})

/** Rows of organizations, and of groups. */
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

async function groupViews(scope: Scope, { stores, directory }: Services) {
  const groups = await stores.alerts.groups(scope, maxGroups)
  return await Promise.all(
    groups.map(async ({ organizationUuid, alertId, caseId, size, beginsAt, lastAt, endsAt }) => ({
      organization_code: await directory.organizationCode(organizationUuid),
      alert_id: alertId,
      case_id: caseId,
      alerts: size,
      begins_at: beginsAt,
      last_at: lastAt,
      ends_at: endsAt,
    })),
  )
}

async function destructiveViews(
  scope: Scope,
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
  access: readers,
  summary:
    'Whether runs are paused, how many wait for their first turn, whether there is a storm, and how often destructive skills were used.',
  status: 200,
  answer,
  async handle({ caller }, services) {
    return { body: await view(caller, services) }
  },
})

const pauseEngine = defineRoute({
  method: 'POST',
  path: '/engine/pause',
  once: true,
  access: admins,
  summary:
    'Pauses the runs of all organizations: steps under way end, nothing begins, alerts are taken in and wait.',
  status: 200,
  answer,
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['reason'],
    properties: {
      reason: {
        type: 'string',
        minLength: 1,
        maxLength: 500,
        ...patterns.text,
        description: 'Shown to whoever asks.',
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
  access: admins,
  summary: 'Lets runs go on that were paused.',
  status: 200,
  answer,
  async handle({ caller }, services) {
    requireWholeScope(caller)
    await services.engine.pauses.resume(caller.actor)
    return { body: await view(caller, services) }
  },
})

export const engineRoutes = [getEngine, pauseEngine, resumeEngine]
