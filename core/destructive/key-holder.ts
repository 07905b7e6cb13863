import type { ApiKey } from '../domain/api-key.ts'
import type { Author } from '../domain/audit.ts'

/** Whom a key stands for: its owner, or else its creator; null: unknown. */
export const keyHolder = ({
  ownerUuid,
  createdBy,
}: Pick<ApiKey, 'ownerUuid' | 'createdBy'>): Pick<Author, 'kind' | 'id'> | null =>
  ownerUuid == null ? createdBy : { kind: 'account', id: ownerUuid }
