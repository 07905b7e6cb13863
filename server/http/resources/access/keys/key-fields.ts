import { defaultEnd } from '../../../../../core/access/key-expiry.ts'
import type { Role } from '../../../../../core/domain/api-key.ts'
import { ValidationError } from '../../../../../core/errors/errors.ts'
import type { KeyChanges } from '../../../../../core/ports/access/key-store.ts'
import type { Stores } from '../../../../../core/ports/stores.ts'
import type { Caller } from '../../../caller/caller.ts'
import type { Services } from '../../../routing/route.ts'
import { parseTrustedProxies } from '../../../server/trusted-proxies.ts'
import { requireVisibleAccount } from '../people/account-view.ts'
import { lastTime } from '../../system/page.ts'

/** The fields of a body that change a key. */
export const changeableFields = {
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

interface GivenChanges {
  readonly owner?: string | null | undefined
  readonly allowed_addresses?: readonly string[] | null | undefined
}

/** Throws RequestError `account_not_found`, ValidationError `value_invalid`. */
export async function readKeyChanges(
  { owner, allowed_addresses: allowedAddresses }: GivenChanges,
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

export const expiryField = {
  type: ['integer', 'null'],
  maximum: lastTime,
  description:
    'Epoch milliseconds; null: never. Default: after TOCSIN_KEY_DAYS (365), but never for `intake`, and not after the current key expires.',
} as const

/** When a new key ends; null: never. Throws ValidationError `value_invalid`. */
export function readExpiry(
  given: number | null | undefined,
  role: Role,
  caller: Pick<Caller, 'expiresAt'>,
  { clock, keyLifetimeMs: lifetimeMs }: Pick<Services, 'clock' | 'keyLifetimeMs'>,
): number | null {
  const now = clock.now()
  if (given === undefined) return defaultEnd(role, { now, lifetimeMs, creatorEndsAt: caller.expiresAt })
  if (given !== null && given <= now) throw unusable('must be in the future (epoch milliseconds)')
  // Otherwise a temporary key could create a permanent one.
  if (caller.expiresAt !== null && (given ?? Infinity) > caller.expiresAt)
    throw unusable(`must not be after ${caller.expiresAt}, when the current API key expires`)
  return given
}

const unusable = (message: string): ValidationError =>
  new ValidationError('value_invalid', `expires_at ${message}`, [{ pointer: '/expires_at', message }])
