import { isUsable, roles, type ApiKey } from '../../../../core/domain/api-key.ts'
import { ValidationError } from '../../../../core/errors/errors.ts'
import { textAt } from '../../../../core/plugin/index.ts'
import type { Scope } from '../../../../core/ports/common.ts'
import type { Stores } from '../../../../core/ports/stores.ts'
import { isInScope } from '../../../../core/common/scope.ts'
import { makeKey } from '../../../access/keys.ts'
import type { Directory } from '../../caller/directory.ts'
import { pageOfRows, type RowOrder } from '../../routing/page-rows.ts'
import { patterns } from '../../request/patterns.ts'
import { RequestError } from '../../request/request-error.ts'
import { defineRoute } from '../../routing/route.ts'
import { requireWholeScope } from '../../caller/whole-scope.ts'
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
import { admins, type Caller } from '../../caller/caller.ts'

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
  key_id: { type: 'string', description: 'The part of the key that is no secret.' },
  name: text,
  role: { enum: roles },
  organization_codes: { type: ['array', 'null'], items: text, description: 'null: all.' },
  created_at: time,
  created_by: {
    anyOf: [actorSchema, { type: 'null' }],
    description: 'Who made it; null: before there was an audit log.',
  },
  expires_at: timeOrNull,
  revoked_at: timeOrNull,
  last_used_at: timeOrNull,
} as const

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
  access: admins,
  summary: 'Lists the API keys that reach no further than the one in use, never their values.',
  status: 200,
  answer: pageSchema(objectSchema(keyFields)),
  query: {
    type: 'object',
    additionalProperties: false,
    properties: {
      ...pageParameters,
      role: { type: 'string', enum: roles },
      organization: {
        type: 'string',
        description:
          'Code of an organization: keys that may act for it, those for all organizations among them.',
      },
      state: {
        type: 'string',
        enum: ['usable', 'unusable'],
        description: 'Unusable: revoked or expired.',
      },
      sort: sortParameter(['created_at', 'name', 'last_used_at', 'expires_at']),
    },
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
  access: admins,
  summary: 'One API key, by its id or uuid; never its value.',
  status: 200,
  answer: objectSchema(keyFields),
  async handle({ params, caller }, { stores, directory }) {
    return { body: await keyView(await requireKey(stores, caller.scope, params.key), directory) }
  },
})

const createKey = defineRoute({
  method: 'POST',
  path: '/keys',
  access: admins,
  summary: 'Makes an API key. Its value is in this answer and nowhere else.',
  status: 201,
  answer: objectSchema({
    ...keyFields,
    key: {
      type: ['string', 'null'],
      description:
        'The value; shown here and never again: null where the answer is repeated for its `Idempotency-Key`. Who has not got it revokes the key and makes another.',
    },
  }),
  recall: {
    keeps: (made) => textAt(made, 'id'),
    answer: async (id, { caller }, { stores, directory }) =>
      keyMade(await requireKey(stores, caller.scope, String(id)), null, directory),
  },
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'role'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 200, ...patterns.line },
      role: { type: 'string', enum: roles },
      organization_codes: {
        type: ['array', 'null'],
        items: { type: 'string' },
        minItems: 1,
        maxItems: 1000,
        description: 'Organizations it may act for; null or absent stands for all, also later ones.',
      },
      expires_at: {
        type: ['integer', 'null'],
        maximum: lastTime,
        description: 'Epoch milliseconds; null or absent: never. No later than the key in use ends.',
      },
    },
  },
  async handle({ body, caller }, { stores, directory, clock }) {
    const expiresAt = body.expires_at ?? null
    if (expiresAt !== null && expiresAt <= clock.now()) throw expired()
    if (caller.expiresAt !== null && (expiresAt ?? Infinity) > caller.expiresAt)
      throw tooLate(caller.expiresAt)
    const organizationUuids = await organizationsOf(body.organization_codes ?? null, caller, directory)
    const { value, id, secretHash } = makeKey()
    const { name, role } = body
    const made = { id, name, role, organizationUuids, secretHash, expiresAt }
    const key = await stores.keys.create(made, caller.actor)
    return { ...(await keyMade(key, value, directory)), unkept: ['key'] }
  },
})

/** @param value null: it has been shown, or was lost. */
async function keyMade(key: ApiKey, value: string | null, directory: Directory) {
  return { body: { ...(await keyView(key, directory)), key: value }, location: `/keys/${key.id}` }
}

const revokeKey = defineRoute({
  method: 'DELETE',
  path: '/keys/{key}',
  access: admins,
  summary: 'Revokes an API key, by its id or uuid; it stays in the list.',
  status: 200,
  answer: objectSchema(keyFields),
  async handle({ params, caller }, { stores, directory }) {
    const { id } = await requireKey(stores, caller.scope, params.key)
    return { body: await keyView(await stores.keys.revoke(id, caller.actor), directory) }
  },
})

/** By its id or uuid. Throws RequestError `key_not_found`, also for a key that reaches further than the scope. */
async function requireKey({ keys }: Pick<Stores, 'keys'>, scope: Scope, wanted: string): Promise<ApiKey> {
  const name = wanted.toLowerCase()
  const key = (await keys.list()).find(({ id, uuid }) => id === name || uuid === name)
  if (key !== undefined && reachesNoFurther(key, scope)) return key
  throw new RequestError('key_not_found', undefined, { hint: 'GET keys lists those that there are' })
}

function expired(): ValidationError {
  const message = 'must lie in the future (epoch milliseconds)'
  return new ValidationError('value_invalid', `expires_at ${message}`, [{ pointer: '/expires_at', message }])
}

/** Who was given a key for a time could make one for ever with it. */
function tooLate(callerEnds: number): ValidationError {
  const message = `must not be later than ${callerEnds}, when the API key in use ends`
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

const reachesNoFurther = (key: ApiKey, scope: Scope): boolean =>
  scope === 'all' || (key.organizationUuids?.every((uuid) => isInScope(scope, uuid)) ?? false)

export const keyRoutes = [listKeys, getKey, createKey, revokeKey]
