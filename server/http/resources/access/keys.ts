import { isUsable, roles, type ApiKey } from '../../../../core/domain/api-key.ts'
import { ValidationError } from '../../../../core/errors/errors.ts'
import { textAt } from '../../../../core/plugin/index.ts'
import type { KeyChanges } from '../../../../core/ports/access/key-store.ts'
import type { OrganizationScope } from '../../../../core/ports/common.ts'
import type { Stores } from '../../../../core/ports/stores.ts'
import { isInScope } from '../../../../core/common/scope.ts'
import { makeKey } from '../../../access/keys.ts'
import type { Directory } from '../../caller/directory.ts'
import { pageOfRows, type RowOrder } from '../../routing/page-rows.ts'
import { editSeen, entityTag, ifMatchHeader } from '../../request/if-match.ts'
import { patterns } from '../../request/patterns.ts'
import { RequestError } from '../../request/request-error.ts'
import { defineRoute } from '../../routing/route.ts'
import { builtInRoles } from '../../../../core/access/permissions.ts'
import { requireWholeScope } from '../../caller/authenticate.ts'
import { parseTrustedProxies } from '../../server/trusted-proxies.ts'
import { requireVisibleAccount } from './account-view.ts'
import { apiKeySchema, keyView, newKeySchema } from './key-view.ts'
import { lastTime, pageParameters, pageSchema, pageView, sortParameter } from '../system/page.ts'
import { requireMayGive, type Caller } from '../../caller/caller.ts'

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
      enum: ['usable', 'unusable'],
      description: 'Revoked or expired.',
    },
    sort: sortParameter(['created_at', 'name', 'last_used_at', 'expires_at']),
  },
  async handle({ query, caller }, { stores, directory, clock }) {
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
        (query.state === undefined || isUsable(key, now) === (query.state === 'usable')),
    )
    return { body: await pageView(pageOfRows(found, query, order), (key) => keyView(key, directory)) }
  },
})

const getKey = defineRoute({
  method: 'GET',
  path: '/keys/{key}',
  view: 'keys.viewed',
  access: 'keys:read',
  summary: 'One API key by id or uuid, without its value.',
  answer: apiKeySchema,
  async handle({ params, caller }, { stores, directory }) {
    const key = await requireKey(stores, caller.scope, params.key)
    return { body: await keyView(key, directory), headers: entityTag(key) }
  },
})

const changeable = {
  owner: {
    type: ['string', 'null'],
    description:
      'Uuid or e-mail address of the account of the person who answers for the key: it is refused while that account is disabled. Default: the person who creates it, except for `intake`.',
  },
  allowed_addresses: {
    type: ['array', 'null'],
    items: { type: 'string', maxLength: 50 },
    minItems: 1,
    maxItems: 100,
    description:
      'Addresses and ranges, such as `192.0.2.7` and `10.1.0.0/16`, from which it is accepted; null: all.',
  },
} as const

interface Changes {
  readonly owner?: string | null | undefined
  readonly allowed_addresses?: readonly string[] | null | undefined
}

/** Throws RequestError `account_not_found`, ValidationError `value_invalid`. */
async function changesOf(
  { owner, allowed_addresses: allowedAddresses }: Changes,
  caller: Caller,
  stores: Stores,
): Promise<KeyChanges> {
  allowedAddresses?.forEach((entry, at) => {
    try {
      parseTrustedProxies([entry])
    } catch {
      const message = 'must be an IP address or a range, such as 10.1.0.0/16'
      const pointer = `/allowed_addresses/${at}`
      throw new ValidationError('value_invalid', `allowed_addresses/${at} ${message}`, [{ pointer, message }])
    }
  })
  const account =
    typeof owner === 'string' ? await requireVisibleAccount(stores, caller.scope, owner) : undefined
  return {
    ...(owner !== undefined && { ownerUuid: account?.uuid ?? null }),
    ...(allowedAddresses !== undefined && { allowedAddresses }),
  }
}

const createKey = defineRoute({
  method: 'POST',
  path: '/keys',
  access: 'keys:write',
  summary: 'Creates an API key. Only this response shows its value.',
  status: 201,
  answer: newKeySchema,
  recall: {
    keeps: (made) => textAt(made, 'id'),
    answer: async (id, { caller }, { stores, directory }) =>
      keyMade(await requireKey(stores, caller.scope, String(id)), null, directory),
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
      expires_at: {
        type: ['integer', 'null'],
        maximum: lastTime,
        description: 'Epoch milliseconds; null or absent: never. Not after the current key expires.',
      },
      ...changeable,
    },
  },
  async handle({ body, caller }, { stores, directory, clock }) {
    const expiresAt = body.expires_at ?? null
    if (expiresAt !== null && expiresAt <= clock.now()) throw expired()
    if (caller.expiresAt !== null && (expiresAt ?? Infinity) > caller.expiresAt)
      throw tooLate(caller.expiresAt)
    const organizationUuids = await organizationsOf(body.organization_codes ?? null, caller, directory)
    const { name, role } = body
    for (const uuid of organizationUuids ?? [null])
      requireMayGive(caller, builtInRoles[role].permissions, uuid)
    const { value, id, secretHash } = makeKey()
    const changes = await changesOf(body, caller, stores)
    // A key that posts alerts works on when the person who made it leaves.
    const ownerUuid = changes.ownerUuid ?? (role === 'intake' ? null : (caller.account?.uuid ?? null))
    const made = { id, name, role, organizationUuids, secretHash, expiresAt, ...changes, ownerUuid }
    const key = await stores.keys.create(made, caller.actor)
    return { ...(await keyMade(key, value, directory)), unkept: ['key'] }
  },
})

/** @param value null: it was shown before */
async function keyMade(key: ApiKey, value: string | null, directory: Directory) {
  return { body: { ...(await keyView(key, directory)), key: value }, location: `/keys/${key.id}` }
}

const changeKey = defineRoute({
  method: 'PATCH',
  path: '/keys/{key}',
  access: 'keys:write',
  summary: 'Changes the owner or the allowed addresses of an API key.',
  answer: apiKeySchema,
  headers: ifMatchHeader,
  body: { minProperties: 1, properties: changeable },
  async handle({ params, body, headers, caller }, { stores, directory }) {
    const key = await requireManagedKey(stores, caller, params.key)
    const changes = await changesOf(body, caller, stores)
    const changed = await editSeen(headers, (seen) => stores.keys.change(key.id, changes, seen, caller.actor))
    return { body: await keyView(changed, directory), headers: entityTag(changed) }
  },
})

const rotateKey = defineRoute({
  method: 'POST',
  path: '/keys/{key}/rotate',
  access: 'keys:write',
  summary: 'Replaces the secret of an API key; id, role and owner stay. Only this response shows the value.',
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
    },
  },
  async handle({ params, body, caller }, { stores, directory, clock }) {
    const { id } = await requireManagedKey(stores, caller, params.key)
    const { value, secretHash } = makeKey(id)
    const until = clock.now() + (body.overlap_minutes ?? 0) * 60_000
    const key = await stores.keys.rotate(id, secretHash, until, caller.actor)
    return { body: { ...(await keyView(key, directory)), key: value } }
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
  async handle({ params, caller }, { stores, directory }) {
    const { id } = await requireKey(stores, caller.scope, params.key)
    return { body: await keyView(await stores.keys.revoke(id, caller.actor), directory) }
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

function expired(): ValidationError {
  const message = 'must be in the future (epoch milliseconds)'
  return new ValidationError('value_invalid', `expires_at ${message}`, [{ pointer: '/expires_at', message }])
}

/** Otherwise a temporary key could create a permanent one. */
function tooLate(callerEnds: number): ValidationError {
  const message = `must not be after ${callerEnds}, when the current API key expires`
  return new ValidationError('value_invalid', `expires_at ${message}`, [{ pointer: '/expires_at', message }])
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
