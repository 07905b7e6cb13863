import { isUsable, roles, type ApiKey } from '../../../../core/domain/api-key.ts'
import { ValidationError } from '../../../../core/errors/errors.ts'
import { textAt } from '../../../../core/plugin/index.ts'
import type { OrganizationScope } from '../../../../core/ports/common.ts'
import type { Stores } from '../../../../core/ports/stores.ts'
import { isInScope } from '../../../../core/common/scope.ts'
import { makeKey } from '../../../access/keys.ts'
import type { Directory } from '../../caller/directory.ts'
import { pageOfRows, type RowOrder } from '../../routing/page-rows.ts'
import { patterns } from '../../request/patterns.ts'
import { RequestError } from '../../request/request-error.ts'
import { defineRoute } from '../../routing/route.ts'
import { builtInRoles } from '../../../../core/access/permissions.ts'
import { requireWholeScope } from '../../caller/authenticate.ts'
import { actorSchema } from '../system/audit.ts'
import {
  lastTime,
  objectSchema,
  pageParameters,
  pageSchema,
  pageView,
  sortParameter,
  text,
  time,
  timeOrNull,
} from '../system/page.ts'
import { requireMayGive, type Caller } from '../../caller/caller.ts'

async function keyView(key: ApiKey, directory: Directory) {
  const codes = key.organizationUuids?.map((uuid) => directory.organizationCode(uuid))
  return {
    key_uuid: key.uuid,
    key_id: key.id,
    name: key.name,
    role: key.role,
    organization_codes: codes === undefined ? null : await Promise.all(codes),
    created_at: key.createdAt,
    created_by: key.createdBy,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    last_used_at: key.lastUsedAt,
  }
}

const keyFields = {
  key_uuid: text,
  key_id: { type: 'string', description: 'The public part of the key.' },
  name: text,
  role: { enum: roles },
  organization_codes: { type: ['array', 'null'], items: text, description: 'null: all.' },
  created_at: time,
  created_by: {
    anyOf: [actorSchema, { type: 'null' }],
    description: 'Who created it; null: before the audit log existed.',
  },
  expires_at: timeOrNull,
  revoked_at: timeOrNull,
  last_used_at: timeOrNull,
} as const

/** An API key, without its value. */
export const apiKeySchema = objectSchema(keyFields)

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
    return { body: await keyView(await requireKey(stores, caller.scope, params.key), directory) }
  },
})

const createKey = defineRoute({
  method: 'POST',
  path: '/keys',
  access: 'keys:write',
  summary: 'Creates an API key. Only this response shows its value.',
  status: 201,
  answer: objectSchema({
    ...keyFields,
    key: {
      type: ['string', 'null'],
      description:
        'The value, shown once; null when the request is repeated with its `Idempotency-Key`. If you lose it, revoke the key and create another.',
    },
  }),
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
    const made = { id, name, role, organizationUuids, secretHash, expiresAt }
    const key = await stores.keys.create(made, caller.actor)
    return { ...(await keyMade(key, value, directory)), unkept: ['key'] }
  },
})

/** @param value null: it was shown before */
async function keyMade(key: ApiKey, value: string | null, directory: Directory) {
  return { body: { ...(await keyView(key, directory)), key: value }, location: `/keys/${key.id}` }
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

export const keyRoutes = [listKeys, getKey, createKey, revokeKey]
