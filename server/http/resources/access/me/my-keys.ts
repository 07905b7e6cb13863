import { builtInRoles } from '../../../../../core/access/permissions.ts'
import type { ApiKey } from '../../../../../core/domain/api-key.ts'
import type { Stores } from '../../../../../core/ports/stores.ts'
import { makeKey } from '../../../../access/keys.ts'
import { requireMayGive } from '../../../caller/caller.ts'
import { requirePerson, requireRecentPerson } from '../../../caller/require-person.ts'
import { RequestError } from '../../../request/request-error.ts'
import { defineRoute } from '../../../routing/route.ts'
import { apiKeySchema, keyView, newKeySchema } from '../keys/key-view.ts'
import { objectSchema } from '../../system/page.ts'

const ownKeys = async ({ keys }: Pick<Stores, 'keys'>, accountUuid: string): Promise<readonly ApiKey[]> =>
  (await keys.list()).filter(({ ownerUuid, revokedAt }) => ownerUuid === accountUuid && revokedAt === null)

/** API keys that the caller owns. */
const apiMyKeysSchema = objectSchema({ data: { type: 'array', items: apiKeySchema } })

const listMyKeys = defineRoute({
  method: 'GET',
  path: '/me/keys',
  access: 'self',
  summary: 'The API keys that the person owns, newest first, without their values and revoked ones.',
  answer: apiMyKeysSchema,
  async handle({ caller }, services) {
    const { account } = requirePerson(caller)
    const own = (await ownKeys(services.stores, account.uuid)).toReversed()
    return { body: { data: await Promise.all(own.map((key) => keyView(key, services))) } }
  },
})

const acceptKey = defineRoute({
  method: 'POST',
  path: '/me/keys/{key}/accept',
  access: 'self',
  summary:
    'Accepts a key that somebody else created for the person: replaces its secret, which only this response shows. Approvals with the key then count as those of the person alone. Needs a recent sign-in.',
  once: false,
  answer: newKeySchema,
  async handle({ params, caller }, services) {
    const { stores, clock } = services
    const { account } = requireRecentPerson(caller, clock)
    const wanted = params.key.toLowerCase()
    const key = (await ownKeys(stores, account.uuid)).find(({ id, uuid }) => id === wanted || uuid === wanted)
    if (key === undefined)
      throw new RequestError('key_not_found', undefined, { hint: 'GET me/keys lists your keys' })
    // Answering for a key of a machine does not give its permissions.
    for (const uuid of key.organizationUuids ?? [null])
      requireMayGive(caller, builtInRoles[key.role].permissions, uuid)
    const { value, secretHash } = makeKey(key.id)
    const accepted = await stores.keys.rotate(
      key.id,
      { secretHash, previousUntil: clock.now() },
      caller.actor,
    )
    return { body: { ...(await keyView(accepted, services)), key: value } }
  },
})

export const myKeyRoutes = [listMyKeys, acceptKey]
