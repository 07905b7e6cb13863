import type { ApiKey } from '../domain/api-key.ts'
import type { Author } from '../domain/audit.ts'

/** A key or an account, by its id. */
export type KeyHolder = Pick<Author, 'kind' | 'id'>

/**
 * Whether only the owner knows the secret of a key. Until then, the key acts for the owner and for everyone who knows a secret of it.
 */
export const isAccepted = ({
  ownerUuid,
  secretKnownBy,
}: Pick<ApiKey, 'ownerUuid' | 'secretKnownBy'>): boolean =>
  ownerUuid !== null &&
  secretKnownBy.length > 0 &&
  secretKnownBy.every(({ kind, id }) => kind === 'account' && id === ownerUuid)

/**
 * Who knows a secret of the key after `by` replaced it. With an overlap, the earlier secret still works. A key that replaces a secret, which
 * can be its own, acts for people who knew it before.
 */
export function knownAfterRotation(
  before: readonly KeyHolder[],
  { kind, id }: KeyHolder,
  hasOverlap: boolean,
): readonly KeyHolder[] {
  if (!hasOverlap && kind !== 'api_key') return [{ kind, id }]
  const others = before.filter((each) => each.kind !== kind || each.id !== id)
  return [...others, { kind, id }]
}

/**
 * The keys and accounts for which a key or an account acts, itself included: the owner of a key and those who know its secret, the same for
 * each of these keys, and so on; also through revoked keys.
 */
export function holdersOf(keys: ReadonlyMap<string, ApiKey>, who: KeyHolder): readonly KeyHolder[] {
  const found = new Map<string, KeyHolder>()
  const open: KeyHolder[] = [who]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { kind, id } = next
    // Commands and the server belong to the operator, who is trusted with everything.
    if ((kind !== 'api_key' && kind !== 'account') || found.has(id)) continue
    found.set(id, { kind, id })
    const key = kind === 'api_key' ? keys.get(id) : undefined
    if (key === undefined) continue
    if (key.ownerUuid !== null) open.push({ kind: 'account', id: key.ownerUuid })
    open.push(...key.secretKnownBy)
  }
  return [...found.values()]
}

/** For `holdersOf`. */
export const keysById = (keys: readonly ApiKey[]): ReadonlyMap<string, ApiKey> =>
  new Map(keys.map((key) => [key.id, key]))
