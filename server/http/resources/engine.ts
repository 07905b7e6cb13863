import { isInScope } from '../../../core/scope.ts'
import { admins, defineRoute, readers, type Caller, type Services } from '../route.ts'
import { requireWholeScope } from '../whole-scope.ts'
import { objectSchema, text, textOrNull, timeOrNull } from './page.ts'

const answer = objectSchema({
  state: { enum: ['running', 'paused'] },
  paused_since: timeOrNull,
  paused_by: textOrNull,
  reason: textOrNull,
  queued: { type: 'integer', description: 'Runs of the organizations of the API key that have not begun.' },
  destructive: {
    type: 'array',
    description: 'Destructive skills that were used within the last hour, or wait to be approved.',
    items: objectSchema({
      organization_code: text,
      skill: text,
      uses: { type: 'integer', description: 'Within the last hour.' },
      limit: { type: 'integer', description: 'Further ones wait for a person.' },
      held: { type: 'integer', description: 'Uses that wait for a person: see GET checkpoints.' },
    }),
  },
})

async function view({ scope }: Caller, { engine, stores, directory }: Services) {
  const pause = engine.pauses.current()
  const organizations = await stores.organizations.list('all')
  const queued = organizations
    .filter(({ uuid }) => isInScope(scope, uuid))
    .reduce((sum, { uuid }) => sum + engine.queuedOf(uuid), 0)
  return {
    state: pause === undefined ? 'running' : 'paused',
    paused_since: pause?.since ?? null,
    paused_by: pause?.by ?? null,
    reason: pause?.reason ?? null,
    queued,
    destructive: await Promise.all(
      (await stores.destructiveUses.list(scope)).map(async ({ organizationUuid, skill, uses, held }) => ({
        organization_code: await directory.organizationCode(organizationUuid),
        skill,
        uses,
        limit: engine.destructivePerHour,
        held,
      })),
    ),
  }
}

const getEngine = defineRoute({
  method: 'GET',
  path: '/engine',
  access: readers,
  summary:
    'Whether runs are paused, how many wait for their first turn, and how often destructive skills were used.',
  status: 200,
  answer,
  async handle({ caller }, services) {
    return { body: await view(caller, services) }
  },
})

const pauseEngine = defineRoute({
  method: 'POST',
  path: '/engine/pause',
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
      reason: { type: 'string', minLength: 1, maxLength: 500, description: 'Shown to whoever asks.' },
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
