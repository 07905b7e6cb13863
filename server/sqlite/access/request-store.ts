import { createHash, createHmac } from 'node:crypto'
import type { OnceRequest, RecalledWork, RequestStore } from '../../../core/ports/access/request-store.ts'
import { keyReused, requestInterrupted } from '../../../core/transitions/idempotency.ts'
import { deleteExpired, expiringTables } from '../context/rows.ts'
import { fromJson, toJson } from '../database/columns.ts'
import { claims, type Claim } from '../database/request-claims.ts'
import { SqliteStore } from '../context/store-context.ts'

interface Remembered {
  readonly fingerprint: Buffer
  /** Null: unknown, or not yet known. */
  readonly answer: string | null
  /** What `recall` rebuilds the answer from; null: it cannot. */
  readonly kept: string | null
}

/** Hashes of the request; its texts are not stored. */
interface Hashed {
  readonly owner: string
  readonly key: Uint8Array
  readonly fingerprint: Uint8Array
}

export class SqliteRequestStore extends SqliteStore implements RequestStore {
  readonly #underWay = new Map<string, Promise<unknown>>()

  async once<T>(
    request: OnceRequest,
    work: () => Promise<T>,
    recall?: RecalledWork<T>,
  ): Promise<{ readonly answer: T; readonly replayed: boolean }> {
    const hashed = hashedOf(request)
    const name = `${hashed.owner} ${Buffer.from(hashed.key).toString('hex')}`
    for (let other = this.#underWay.get(name); other !== undefined; other = this.#underWay.get(name))
      await other.catch(() => undefined)
    const done = this.#once(hashed, request.keepMs, work, recall)
    this.#underWay.set(name, done)
    try {
      return await done
    } finally {
      this.#underWay.delete(name)
    }
  }

  async #once<T>(
    hashed: Hashed,
    keepMs: number,
    work: () => Promise<T>,
    recall: RecalledWork<T> | undefined,
  ) {
    const earlier = await this.database.read(() => this.#find(hashed))
    if (earlier !== undefined) return { answer: await this.#again(earlier, hashed, recall), replayed: true }
    let isOpen = true
    const claim: Claim = {
      take: (written) => {
        if (isOpen) this.#remember(hashed, this.clock.now() + keepMs, recall?.keeps(written))
      },
      taken: () => {
        isOpen = false
      },
    }
    try {
      const answer = await claims.run(claim, work)
      // Also records work that has written nothing.
      await this.commits.write(() => {
        claim.take(undefined)
        this.#keep(hashed, answer)
      })
      return { answer, replayed: false }
    } finally {
      // Work that continues in the background, e.g. a started run, does not belong to the request.
      isOpen = false
    }
  }

  /** Throws ConflictError `idempotency_key_reused`, `request_interrupted`, and what `recall` throws. */
  async #again<T>(
    { fingerprint, answer, kept }: Remembered,
    hashed: Hashed,
    recall: RecalledWork<T> | undefined,
  ): Promise<T> {
    if (!fingerprint.equals(hashed.fingerprint)) throw keyReused(undefined, 'another request')
    if (answer !== null) return fromJson<T>(answer)
    if (kept === null || recall === undefined) throw requestInterrupted()
    const made = await recall.answer(fromJson(kept))
    await this.commits.write(() => this.#keep(hashed, made))
    return made
  }

  #find({ owner, key }: Hashed): Remembered | undefined {
    return this.database.get<Remembered>(
      'SELECT fingerprint, answer, kept FROM once_requests WHERE api_key_uuid = ? AND key_hash = ? AND expires_at > ?',
      owner,
      key,
      this.clock.now(),
    )
  }

  #remember({ owner, key, fingerprint }: Hashed, expiresAt: number, kept: unknown): void {
    deleteExpired(this.database, expiringTables.requests, this.clock.now())
    // An expired row that still exists is replaced.
    this.database.run(
      'INSERT OR REPLACE INTO once_requests (api_key_uuid, key_hash, fingerprint, kept, expires_at) VALUES (?, ?, ?, ?, ?)',
      owner,
      key,
      fingerprint,
      toJson(kept),
      expiresAt,
    )
  }

  #keep({ owner, key }: Hashed, answer: unknown): void {
    this.database.run(
      'UPDATE once_requests SET answer = ? WHERE api_key_uuid = ? AND key_hash = ?',
      toJson(answer),
      owner,
      key,
    )
  }
}

function hashedOf({ apiKeyUuid, key, asks }: OnceRequest): Hashed {
  return {
    owner: apiKeyUuid,
    key: createHash('sha256').update(key).digest(),
    fingerprint: createHmac('sha256', key).update(asks).digest(),
  }
}
