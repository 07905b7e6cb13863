import { hash } from 'node:crypto'
import type { Statement, WriteScope } from '../../sql/database/work.ts'

/** Held by each write: shared, or exclusively by a write that excludes all others. `tocsin` in ASCII. */
const all = String(0x746f6373696e)

/** Different for each scope but `all`. */
export function scopeKey(scope: WriteScope): string {
  if (scope === 'all') return 'all'
  const [[kind, name] = []] = Object.entries(scope)
  return `${kind} ${name}`
}

const takeLock = 'SELECT pg_advisory_xact_lock(CAST(? AS bigint))'

/**
 * Asked for inside of a write: no other write holds the lock until this one ends. Other nodes wait for the end of the transaction; writes
 * of the same transaction, which the server would not keep apart, wait in `HeldLocks`.
 */
export class LockStatement implements Statement {
  readonly sql = takeLock
  readonly values: readonly string[]

  /** @param name one of few; unlike the keys of scopes */
  constructor(name: string) {
    this.values = [String(numberOf(`lock ${name}`))]
  }
}

interface HeldLock {
  /** Undefined: the transaction holds it, but none of its writes. */
  by: number | undefined
  readonly waiting: { readonly index: number; readonly go: () => void }[]
}

/** Locks that writes of one transaction hold, by the indices of the writes. */
export class HeldLocks {
  readonly #held = new Map<LockStatement, HeldLock>()

  /** @param take takes the lock for the transaction; called for its first write that wants it @param go called once the write has it */
  want(lock: LockStatement, index: number, take: () => void, go: () => void): void {
    const held = this.#held.get(lock)
    if (held === undefined) {
      this.#held.set(lock, { by: index, waiting: [] })
      take()
    } else if (held.by === undefined || held.by === index) {
      held.by = index
      go()
    } else {
      held.waiting.push({ index, go })
    }
  }

  /** The write has ended. */
  release(index: number): void {
    for (const held of this.#held.values()) {
      if (held.by !== index) continue
      const next = held.waiting.shift()
      held.by = next?.index
      next?.go()
    }
  }
}

/**
 * Locks until the end of the transaction what its writes exclude, also against other nodes. Always in the same order, so that two
 * groups cannot wait for each other.
 */
export function lockStatements(keys: Iterable<string>): readonly Statement[] {
  const numbers: bigint[] = []
  for (const key of keys) {
    if (key === 'all') return [{ sql: takeLock, values: [all] }]
    numbers.push(numberOf(key))
  }
  numbers.sort((one, other) => (one < other ? -1 : 1))
  return [
    { sql: 'SELECT pg_advisory_xact_lock_shared(CAST(? AS bigint))', values: [all] },
    {
      sql: 'SELECT count(pg_advisory_xact_lock(number)) FROM unnest(CAST(? AS bigint[])) AS number',
      values: [`{${numbers.join(',')}}`],
    },
  ]
}

const numberOf = (key: string): bigint => hash('sha256', key, 'buffer').readBigInt64BE()
