import { roles, type ApiKey } from '../../../../../core/domain/api-key.ts'
import { isAccepted } from '../../../../../core/access/key-holders.ts'
import type { Services } from '../../../routing/route.ts'
import { actorSchema } from '../../system/audit.ts'
import { objectSchema, text, textOrNull, time, timeOrNull } from '../../system/page.ts'

export async function keyView(key: ApiKey, { directory, stores }: Pick<Services, 'directory' | 'stores'>) {
  const owner = key.ownerUuid === null ? undefined : await stores.accounts.find(key.ownerUuid)
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
    owner: key.ownerUuid,
    owner_name: owner?.name ?? null,
    owner_accepted: isAccepted(key),
    allowed_addresses: key.allowedAddresses,
    rotated_at: key.rotatedAt,
    revision: key.revision,
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
  owner: { ...textOrNull, description: 'Uuid of the account of the person who answers for the key.' },
  owner_name: textOrNull,
  owner_accepted: {
    type: 'boolean',
    description:
      'Whether only the owner knows the secret. Until then, approvals with the key also count as those of whoever created the secret.',
  },
  allowed_addresses: { type: ['array', 'null'], items: text, description: 'null: every address.' },
  rotated_at: timeOrNull,
  revision: { type: 'integer', minimum: 1, description: 'Counts edits; part of the `ETag` for `If-Match`.' },
} as const

/** An API key, without its value. */
export const apiKeySchema = objectSchema(keyFields)

/** Answer with the value of a key. */
export const newKeySchema = objectSchema({
  ...keyFields,
  key: {
    type: ['string', 'null'],
    description:
      'The value, shown once; null when the request is repeated with its `Idempotency-Key`. If you lose it, revoke the key and create another.',
  },
})
