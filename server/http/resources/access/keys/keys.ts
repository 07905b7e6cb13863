import { isUsable, roles, type ApiKey } from '../../../../../core/domain/api-key.ts'
import { textAt } from '../../../../../core/plugin/index.ts'
import type { OrganizationScope } from '../../../../../core/ports/common.ts'
import type { Stores } from '../../../../../core/ports/stores.ts'
import { isInScope } from '../../../../../core/common/scope.ts'
import { makeKey } from '../../../../access/keys.ts'
import type { Directory } from '../../../caller/directory.ts'
import { pageOfRows, type RowOrder } from '../../../routing/page-rows.ts'
import { editSeen, entityTag, ifMatchHeader } from '../../../request/if-match.ts'
import { patterns } from '../../../request/patterns.ts'
import { RequestError } from '../../../request/request-error.ts'
import { defineRoute, type Services } from '../../../routing/route.ts'
import { endsSoon } from '../../../../../core/access/key-expiry.ts'
import { builtInRoles } from '../../../../../core/access/permissions.ts'
import { requireWholeScope } from '../../../caller/authenticate.ts'
import { changeableFields, expiryField, readExpiry, readKeyChanges } from './key-fields.ts'
import { apiKeySchema, keyView, newKeySchema } from './key-view.ts'
import { pageParameters, pageSchema, pageView, sortParameter } from '../../system/page.ts'
import { requireMayGive, type Caller } from '../../../caller/caller.ts'

const order: RowOrder<ApiKey> = {
  name: 'keys',
  sorts: {
    created_at: ({ createdAt }) => createdAt,
    name: ({ name }) => name.toLowerCase(),
    last_used_at: ({ lastUsedAt }) => lastUsedAt,
    expires_at: ({ expiresAt }) => expiresAt,
  },
  key: ({ uuid }) => uuid,
}

const listKeys = defineRoute({
  method: 'GET',
  path: '/keys',
  view: 'keys.viewed',
  access: 'keys:read',
  summary: 'Lists the API keys whose scope is within that of the current key, without their values.',
  answer: pageSchema(apiKeySchema),
  query: {
    ...pageParameters,
    role: { type: 'string', enum: roles },
    organization: {
      type: 'string',
      description:
        'Code of an organization: keys that have access to it, including those for all organizations.',
    },
    state: {
      type: 'string',
      enum: ['usable', 'unusable', 'expiring'],
      description:
        '`unusable`: revoked, expired, or of a disabled person; `expiring`: usable, and ends within 14 days.',
    },
    sort: sortParameter(['created_at', 'name', 'last_used_at', 'expires_at']),
  },
  async handle({ query, caller }, services) {
    const { stores, directory, clock } = services
    const organization =
      query.organization === undefined
        ? undefined
        : await directory.organization(caller.scope, query.organization, '/organization')
    const now = clock.now()
    const found = (await stores.keys.list()).filter(
      (key) =>
        reachesNoFurther(key, caller.scope) &&
        (organization === undefined || isInScope(key.organizationUuids ?? 'all', organization.uuid)) &&
        (query.role === undefined || key.role === query.role) &&
        (query.state === undefined || isIn[query.state](key, now)),
    )
    return { body: await pageView(pageOfRows(found, query, order), (key) => keyView(key, services)) }
  },
})

const isIn = {
  usable: isUsable,
  unusable: (key: ApiKey, now: number): boolean => !isUsable(key, now),
  expiring: endsSoon,
} as const

const getKey = defineRoute({
  method: 'GET',
  path: '/keys/{key}',
  view: 'keys.viewed',
  access: 'keys:read',
  summary: 'One API key by id or uuid, without its value.',
  answer: apiKeySchema,
  async handle({ params, caller }, services) {
    const key = await requireKey(services.stores, caller.scope, params.key)
    return { body: await keyView(key, services), headers: entityTag(key) }
  },
})

const createKey = defineRoute({
  method: 'POST',
  path: '/keys',
  access: 'keys:write',
  summary: 'Creates an API key. Only this response shows its value.',
  status: 201,
  answer: newKeySchema,
  recall: {
    keeps: (made) => textAt(made, 'id'),
    answer: async (id, { caller }, services) =>
      keyMade(await requireKey(services.stores, caller.scope, String(id)), null, services),
  },
  body: {
    required: ['name', 'role'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 200, ...patterns.line },
      role: { type: 'string', enum: roles },
      organization_codes: {
        type: ['array', 'null'],
        items: { type: 'string' },
        minItems: 1,
        maxItems: 1000,
        description: 'Organizations it has access to; null or absent: all, including future ones.',
      },
      expires_at: expiryField,
      ...changeableFields,
    },
  },
  async handle({ body, caller }, services) {
    const { stores, directory } = services
    const expiresAt = readExpiry(body.expires_at, body.role, caller, services)
    const organizationUuids = await organizationsOf(body.organization_codes ?? null, caller, directory)
    const { name, role } = body
    for (const uuid of organizationUuids ?? [null])
      requireMayGive(caller, builtInRoles[role].permissions, uuid)
    const { value, id, secretHash } = makeKey()
    const changes = await readKeyChanges(body, caller, stores)
    // A key that posts alerts works on when the person who made it leaves.
    const ownerUuid = changes.ownerUuid ?? (role === 'intake' ? null : (caller.account?.uuid ?? null))
    const made = { id, name, role, organizationUuids, secretHash, expiresAt, ...changes, ownerUuid }
    const key = await stores.keys.create(made, caller.actor)
    return { ...(await keyMade(key, value, services)), unkept: ['key'] }
  },
})

/** @param value null: it was shown before */
async function keyMade(key: ApiKey, value: string | null, services: Services) {
  return { body: { ...(await keyView(key, services)), key: value }, location: `/keys/${key.id}` }
}

const changeKey = defineRoute({
  method: 'PATCH',
  path: '/keys/{key}',
  access: 'keys:write',
  summary: 'Changes the owner or the allowed addresses of an API key.',
  answer: apiKeySchema,
  headers: ifMatchHeader,
  body: { minProperties: 1, properties: changeableFields },
  async handle({ params, body, headers, caller }, services) {
    const { stores } = services
    const key = await requireManagedKey(stores, caller, params.key)
    const changes = await readKeyChanges(body, caller, stores)
    const changed = await editSeen(headers, (seen) => stores.keys.change(key.id, changes, seen, caller.actor))
    return { body: await keyView(changed, services), headers: entityTag(changed) }
  },
})

const rotateKey = defineRoute({
  method: 'POST',
  path: '/keys/{key}/rotate',
  access: 'keys:write',
  summary:
    'Replaces the secret of an API key, and can renew it; id, role and owner stay. Only this response shows the value.',
  once: false,
  answer: newKeySchema,
  body: {
    properties: {
      overlap_minutes: {
        type: 'integer',
        minimum: 0,
        maximum: 10_080,
        default: 0,
        description: 'For how long the earlier value is accepted too.',
      },
      expires_at: {
        ...expiryField,
        description: 'When the key then ends; null: never. Not earlier than before. Default: as before.',
      },
    },
  },
  async handle({ params, body, caller }, services) {
    const { stores, clock } = services
    const { id, role } = await requireManagedKey(stores, caller, params.key)
    const { value, secretHash } = makeKey(id)
    const previousUntil = clock.now() + (body.overlap_minutes ?? 0) * 60_000
    const expiresAt =
      body.expires_at === undefined ? undefined : readExpiry(body.expires_at, role, caller, services)
    const rotation = { secretHash, previousUntil, expiresAt }
    const key = await stores.keys.rotate(id, rotation, caller.actor)
    return { body: { ...(await keyView(key, services)), key: value } }
  },
})

/** A key that may do no more than the caller. Throws RequestError `key_not_found`, `permission_exceeded`. */
async function requireManagedKey(stores: Stores, caller: Caller, wanted: string): Promise<ApiKey> {
  const key = await requireKey(stores, caller.scope, wanted)
  for (const uuid of key.organizationUuids ?? [null])
    requireMayGive(caller, builtInRoles[key.role].permissions, uuid)
  return key
}

const revokeKey = defineRoute({
  method: 'DELETE',
  path: '/keys/{key}',
  access: 'keys:write',
  summary: 'Revokes an API key by id or uuid; it stays in the list.',
  answer: apiKeySchema,
  async handle({ params, caller }, services) {
    const { stores } = services
    const { id } = await requireKey(stores, caller.scope, params.key)
    return { body: await keyView(await stores.keys.revoke(id, caller.actor), services) }
  },
})

/** Finds a key by id or uuid. Throws RequestError `key_not_found`, also for a key beyond the scope. */
async function requireKey(
  { keys }: Pick<Stores, 'keys'>,
  scope: OrganizationScope,
  wanted: string,
): Promise<ApiKey> {
  const name = wanted.toLowerCase()
  const key = (await keys.list()).find(({ id, uuid }) => id === name || uuid === name)
  if (key !== undefined && reachesNoFurther(key, scope)) return key
  throw new RequestError('key_not_found', undefined, { hint: 'GET keys lists the keys' })
}

async function organizationsOf(codes: readonly string[] | null, caller: Caller, directory: Directory) {
  if (codes === null) {
    requireWholeScope(caller)
    return null
  }
  const found = await Promise.all(
    codes.map((code, at) => directory.organization(caller.scope, code, `/organization_codes/${at}`)),
  )
  return [...new Set(found.map(({ uuid }) => uuid))]
}

const reachesNoFurther = (key: ApiKey, scope: OrganizationScope): boolean =>
  scope === 'all' || (key.organizationUuids?.every((uuid) => isInScope(scope, uuid)) ?? false)

export const keyRoutes = [listKeys, getKey, createKey, changeKey, rotateKey, revokeKey]
