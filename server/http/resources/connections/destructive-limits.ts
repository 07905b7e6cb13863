import { limitOf } from '../../../../core/destructive/policy.ts'
import { maxDestructivePerHour } from '../../../../core/domain/destructive-use.ts'
import type { Organization } from '../../../../core/domain/organization.ts'
import { destructiveClasses, type JsonSchema } from '../../../../core/plugin/index.ts'
import { editSeen, entityTag, ifMatchHeader } from '../../request/if-match.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { requireOrganization } from '../access/lookups.ts'
import { objectSchema, text } from '../system/page.ts'
import { admins, readers } from '../../caller/caller.ts'

const count = { type: 'integer', minimum: 0 } as const

const answer = objectSchema({
  organization_code: text,
  revision: {
    type: 'integer',
    minimum: 1,
    description: 'Of the organization; stands in the `ETag` that the next edit names in `If-Match`.',
  },
  classes: {
    type: 'array',
    description: 'Every class of destructive actions.',
    items: objectSchema({
      class: { enum: destructiveClasses },
      limit: {
        ...count,
        description: 'Actions within an hour that need no approval: `own`, else the limit of the server.',
      },
      own: {
        type: ['integer', 'null'],
        minimum: 0,
        description: 'What the organization sets; null: the server’s limit (TOCSIN_DESTRUCTIVE_PER_HOUR).',
      },
      uses: { ...count, description: 'Within the last hour.' },
      remaining: { ...count, description: 'Actions that need no approval now.' },
      held: { ...count, description: 'Actions that wait for an approval: see GET checkpoints.' },
    }),
  },
})

const limit = {
  type: ['integer', 'null'],
  minimum: 0,
  maximum: maxDestructivePerHour,
  description: 'Actions within an hour that need no approval; 0: each needs one; null: the server’s limit.',
} as const

/** One property for each class. */
const body = {
  type: 'object',
  additionalProperties: false,
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
  access: readers,
  summary:
    'How many destructive actions an organization may begin within an hour without an approval, and how many did.',
  status: 200,
  answer,
  async handle({ params, caller }, services) {
    const found = await requireOrganization(caller.scope, params.organization, services)
    return { body: await view(found, services), headers: entityTag(found) }
  },
})

const setLimits = defineRoute({
  method: 'PUT',
  path: '/organizations/{organization}/destructive-limits',
  access: admins,
  summary:
    'Sets the limits of destructive actions of an organization. A class that is left out, or null, gets the server’s limit.',
  status: 200,
  answer,
  headers: ifMatchHeader,
  body,
  async handle({ params, body: given, headers, caller }, services) {
    const { uuid } = await requireOrganization(caller.scope, params.organization, services)
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
