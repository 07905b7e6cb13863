import { limitOf } from '../../../../core/destructive/policy.ts'
import { maxDestructivePerHour } from '../../../../core/domain/destructive-use.ts'
import type { Organization } from '../../../../core/domain/organization.ts'
import { destructiveClasses, type JsonSchema } from '../../../../core/plugin/index.ts'
import { editSeen, entityTag, ifMatchHeader } from '../../request/if-match.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { requireVisibleOrganization } from '../access/organizations/lookups.ts'
import { objectSchema, text } from '../system/page.ts'

const count = { type: 'integer', minimum: 0 } as const

const answer = objectSchema({
  organization_code: text,
  revision: {
    type: 'integer',
    minimum: 1,
    description: 'Revision of the organization; part of the `ETag` for `If-Match`.',
  },
  classes: {
    type: 'array',
    description: 'All classes of destructive actions.',
    items: objectSchema({
      class: { enum: destructiveClasses },
      limit: {
        ...count,
        description: 'Actions per hour without approval: `own`, or the limit of the server.',
      },
      own: {
        type: ['integer', 'null'],
        minimum: 0,
        description:
          'Limit of the organization; null: the limit of the server (TOCSIN_DESTRUCTIVE_PER_HOUR).',
      },
      uses: { ...count, description: 'Actions within the last hour.' },
      remaining: { ...count, description: 'Actions left without approval.' },
      held: { ...count, description: 'Actions that wait for an approval; see GET checkpoints.' },
    }),
  },
})

const limit = {
  type: ['integer', 'null'],
  minimum: 0,
  maximum: maxDestructivePerHour,
  description: 'Actions per hour without approval; 0: each needs one; null: the limit of the server.',
} as const

/** One property for each class. */
const body = {
  properties: { containment: limit, blocking: limit, deletion: limit, execution: limit } satisfies Readonly<
    Record<(typeof destructiveClasses)[number], JsonSchema>
  >,
} as const

async function view(
  { uuid, code, revision, destructiveLimits: own }: Organization,
  { stores, engine }: Pick<Services, 'stores' | 'engine'>,
) {
  const used = await stores.destructiveUses.list([uuid])
  return {
    organization_code: code,
    revision,
    classes: destructiveClasses.map((kind) => {
      const { uses = 0, held = 0 } = used.find((each) => each.class === kind) ?? {}
      const most = limitOf(engine.destructiveLimits, own, kind)
      const remaining = Math.max(0, most - uses)
      return { class: kind, limit: most, own: own?.[kind] ?? null, uses, remaining, held }
    }),
  }
}

const getLimits = defineRoute({
  method: 'GET',
  path: '/organizations/{organization}/destructive-limits',
  access: 'runs:read',
  summary:
    'The limits of an organization for destructive actions without approval, and their use in the last hour.',
  answer,
  async handle({ params, caller }, services) {
    const found = await requireVisibleOrganization(caller.scope, params.organization, services)
    return { body: await view(found, services), headers: entityTag(found) }
  },
})

const setLimits = defineRoute({
  method: 'PUT',
  path: '/organizations/{organization}/destructive-limits',
  access: 'organizations:write',
  summary:
    'Sets the limits of destructive actions of an organization. An omitted or null class gets the limit of the server.',
  answer,
  headers: ifMatchHeader,
  body,
  async handle({ params, body: given, headers, caller }, services) {
    const { uuid } = await requireVisibleOrganization(caller.scope, params.organization, services)
    const own = Object.fromEntries(
      destructiveClasses.flatMap((kind) => {
        const value = given[kind] ?? null
        return value === null ? [] : [[kind, value]]
      }),
    )
    const changed = await editSeen(headers, (revision) =>
      services.stores.organizations.limit(uuid, own, revision, caller.actor),
    )
    return { body: await view(changed, services), headers: entityTag(changed) }
  },
})

export const destructiveLimitRoutes = [getLimits, setLimits]
