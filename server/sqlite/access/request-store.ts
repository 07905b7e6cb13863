import { createHash, createHmac } from 'node:crypto'
import { ConflictError } from '../../../core/errors/errors.ts'
import type { OnceRequest, RecalledWork, RequestStore } from '../../../core/ports/access/request-store.ts'
import { fromJson, toJson } from '../database/columns.ts'
import { claims, type Claim } from '../database/request-claims.ts'
import type { StoreContext } from '../context/store-context.ts'

/** Outlived requests that one new one clears away: more than one, so that they cannot pile up. */
const clearedAtOnce = 20

interface Remembered {
  readonly fingerprint: Buffer
  /** Null: not known (any more). */
  readonly answer: string | null
  /** What the answer can be made of again; null: of nothing. */
  readonly kept: string | null
}

/** What is stored in place of what was sent. */
interface Hashed {
  readonly owner: string
  readonly key: Uint8Array
  readonly fingerprint: Uint8Array
}

export class SqliteRequestStore implements RequestStore {
  readonly #context: StoreContext
  readonly #underWay = new Map<string, Promise<unknown>>()

  constructor(context: StoreContext) {
    this.#context = context
  }

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
    const { database, commits, clock } = this.#context
    const earlier = await database.read(() => this.#find(hashed))
    if (earlier !== undefined) return { answer: await this.#again(earlier, hashed, recall), replayed: true }
    let isOpen = true
    const claim: Claim = {
      take: (written) => {
        if (isOpen) this.#remember(hashed, clock.now() + keepMs, recall?.keeps(written))
      },
      taken: () => {
        isOpen = false
      },
    }
    try {
      const answer = await claims.run(claim, work)
      // Work that has written nothing is remembered too.
      await commits.write(() => {
        claim.take(undefined)
        this.#keep(hashed, answer)
      })
      return { answer, replayed: false }
    } finally {
      // What goes on in its course, e.g. a run that it began, belongs to no request any more.
      isOpen = false
    }
  }

  /** Throws ConflictError `idempotency_key_reused`, `request_interrupted`, and what `recall` throws. */
  async #again<T>(
    { fingerprint, answer, kept }: Remembered,
    hashed: Hashed,
    recall: RecalledWork<T> | undefined,
  ): Promise<T> {
    if (!fingerprint.equals(hashed.fingerprint))
      throw new ConflictError('idempotency_key_reused', 'the key belongs to another request')
    if (answer !== null) return fromJson<T>(answer)
    if (kept === null || recall === undefined) throw interrupted()
    const made = await recall.answer(fromJson(kept))
    await this.#context.commits.write(() => this.#keep(hashed, made))
    return made
  }

  #find({ owner, key }: Hashed): Remembered | undefined {
    const { database, clock } = this.#context
    return database.get<Remembered>(
      'SELECT fingerprint, answer, kept FROM once_requests WHERE api_key_uuid = ? AND key_hash = ? AND expires_at > ?',
      owner,
      key,
      clock.now(),
    )
  }

  #remember({ owner, key, fingerprint }: Hashed, expiresAt: number, kept: unknown): void {
    const { database, clock } = this.#context
    database.run(
      `DELETE FROM once_requests WHERE (api_key_uuid, key_hash) IN
         (SELECT api_key_uuid, key_hash FROM once_requests WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
      clock.now(),
      clearedAtOnce,
    )
    // One that is outlived and not yet cleared away begins anew.
    database.run(
      'INSERT OR REPLACE INTO once_requests (api_key_uuid, key_hash, fingerprint, kept, expires_at) VALUES (?, ?, ?, ?, ?)',
      owner,
      key,
      fingerprint,
      toJson(kept),
      expiresAt,
    )
  }

  #keep({ owner, key }: Hashed, answer: unknown): void {
    this.#context.database.run(
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

const interrupted = (): ConflictError =>
  new ConflictError(
    'request_interrupted',
    'the request was carried out, or begun, and the server stopped before it answered',
    { hint: 'look for what it was to make, and only where that is missing send it again, with another key' },
  )
