import { known, type Work, type WriteScope } from '../database/work.ts'
import { createHash, createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OnceRequest, RecalledWork, RequestStore } from '../../../core/ports/access/request-store.ts'
import { keyReused, requestInterrupted } from '../../../core/transitions/idempotency.ts'
import { expiringTables, makeRoom } from '../context/rows.ts'
import { fromJson, toJson } from '../database/columns.ts'
import { claims, type Claim } from '../database/request-claims.ts'
import { SqlStore } from '../context/store-context.ts'

interface Remembered {
  readonly fingerprint: Buffer
  /** Null: unknown, or not yet known. */
  readonly answer: string | null
  /** What `recall` rebuilds the answer from; null: it cannot. */
  readonly kept: string | null
  readonly expiresAt: number
}

/** How long another node may take to answer a request before its answer counts as lost, in milliseconds. More than a lease. */
const othersAnswerMs = 6_000
const lookAgainMs = 50

/** Hashes of the request; its texts are not stored. */
interface Hashed {
  readonly owner: string
  readonly key: Uint8Array
  readonly fingerprint: Uint8Array
}

export class SqlRequestStore extends SqlStore implements RequestStore {
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

  async begin(value: unknown): Promise<void> {
    if (claims.getStore() !== undefined) await this.writeIn({ row: 'nothing' }, () => known(value))
  }

  async #once<T>(
    hashed: Hashed,
    keepMs: number,
    work: () => Promise<T>,
    recall: RecalledWork<T> | undefined,
  ): Promise<{ readonly answer: T; readonly replayed: boolean }> {
    for (;;) {
      const earlier = await this.#answered(hashed, keepMs)
      if (earlier !== undefined) return { answer: await this.#again(earlier, hashed, recall), replayed: true }
      const first = await this.#first(hashed, keepMs, work, recall)
      if (first !== undefined) return { ...first, replayed: false }
    }
  }

  /** Undefined: another node received the request at the same time and was first; nothing was written here. */
  async #first<T>(
    hashed: Hashed,
    keepMs: number,
    work: () => Promise<T>,
    recall: RecalledWork<T> | undefined,
  ): Promise<{ readonly answer: T } | undefined> {
    const expiresAt = this.clock.now() + keepMs
    let isOpen = true
    let isLost = false
    // The writes that have recorded the request. One that does so again was rolled back, and all others with it.
    const recordedBy = new Set<unknown>()
    const remember = (written: unknown): Work<boolean> =>
      this.#remember(hashed, expiresAt, recall?.keeps(written), recordedBy.size > 0)
    const claim: Claim = {
      *take(written, write) {
        if (!isOpen) return
        if (recordedBy.has(write)) recordedBy.clear()
        isLost = !(yield* remember(written))
        if (isLost) throw takenElsewhere()
        recordedBy.add(write)
      },
      taken: () => {
        isOpen = false
      },
    }
    try {
      const answer = await claims.run(claim, work)
      // Also records work that has written nothing.
      await this.writeIn(rowOf(hashed), function* () {
        yield* claim.take(undefined, hashed)
        yield* this.#keep(hashed, answer)
      })
      return { answer }
    } catch (error) {
      if (isLost && isOpen) return undefined
      throw error
    } finally {
      // Work that continues in the background, e.g. a started run, does not belong to the request.
      isOpen = false
    }
  }

  /** The request as remembered; waits while another node may be about to answer it. */
  async #answered(hashed: Hashed, keepMs: number): Promise<Remembered | undefined> {
    let lastLookAt: number | undefined
    for (;;) {
      const earlier = await this.read(() => this.#find(hashed))
      if (earlier === undefined || earlier.answer !== null || this.database.hasOneWriter) return earlier
      const now = performance.now()
      const ageMs = this.clock.now() - (earlier.expiresAt - keepMs)
      lastLookAt ??= now + Math.min(othersAnswerMs, othersAnswerMs - ageMs)
      if (now >= lastLookAt || !earlier.fingerprint.equals(hashed.fingerprint)) return earlier
      await sleep(lookAgainMs)
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
    await this.writeIn(rowOf(hashed), () => this.#keep(hashed, made))
    return made
  }

  *#find({ owner, key }: Hashed): Work<Remembered | undefined> {
    return yield* this.database.get<Remembered>(
      'SELECT fingerprint, answer, kept, expires_at AS "expiresAt" FROM once_requests WHERE api_key_uuid = ? AND key_hash = ? AND expires_at > ?',
      owner,
      key,
      this.clock.now(),
    )
  }

  /**
   * False: another node did so first.
   *
   * @param mayBeOwn whether a row that expires at this time is of this request
   */
  *#remember(
    { owner, key, fingerprint }: Hashed,
    expiresAt: number,
    kept: unknown,
    mayBeOwn: boolean,
  ): Work<boolean> {
    const now = this.clock.now()
    yield* makeRoom(this.database, expiringTables.requests, now)
    // An expired row that still exists is replaced.
    const taken = yield* this.database.run(
      `INSERT INTO once_requests (api_key_uuid, key_hash, fingerprint, kept, expires_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (api_key_uuid, key_hash) DO UPDATE SET fingerprint = excluded.fingerprint, answer = NULL,
         kept = excluded.kept, expires_at = excluded.expires_at
         WHERE once_requests.expires_at <= ? OR once_requests.expires_at = ?`,
      owner,
      key,
      fingerprint,
      toJson(kept),
      expiresAt,
      now,
      mayBeOwn ? expiresAt : now,
    )
    return taken === 1
  }

  *#keep({ owner, key }: Hashed, answer: unknown): Work<void> {
    yield* this.database.run(
      'UPDATE once_requests SET answer = ? WHERE api_key_uuid = ? AND key_hash = ?',
      toJson(answer),
      owner,
      key,
    )
  }
}

const takenElsewhere = () => new Error('another node has received the same request first')

const rowOf = ({ owner, key }: Hashed): WriteScope => ({
  row: `request ${owner} ${Buffer.from(key).toString('hex')}`,
})

function hashedOf({ apiKeyUuid, key, asks }: OnceRequest): Hashed {
  return {
    owner: apiKeyUuid,
    key: createHash('sha256').update(key).digest(),
    fingerprint: createHmac('sha256', key).update(asks).digest(),
  }
}
