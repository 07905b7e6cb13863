import type { Actor } from '../../core/domain/audit.ts'
import { ConflictError, UnavailableError } from '../../core/errors/errors.ts'
import type { Clock } from '../../core/ports/clock.ts'
import {
  masterKeyFact,
  nextKeyVersion,
  requireSealOf,
  sealMasterKey,
  versionOfSeal,
} from '../secrets/master-key-seal.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { resealSecrets } from '../sql/connections/reseal-secrets.ts'
import { bytesOfFact } from '../sql/database/cursor-seal.ts'
import type { Database } from '../sql/database/database.ts'
import { setFact } from '../sql/database/facts.ts'
import type { Transactions, Work } from '../sql/database/work.ts'

export interface SharedRotation {
  /** The next key, as this version. */
  readonly to: (version: number) => SecretBox
  readonly by: Actor
  readonly clock: Pick<Clock, 'now'>
  /** Names the database in the audit log. */
  readonly place: string
}

const selectSeal = 'SELECT value FROM facts WHERE name = ?'

/** The key of all nodes on a database, which keeps its seal (`sealMasterKey`). */
export class SharedMasterKey {
  readonly #database: Database
  readonly #transactions: Transactions
  #box: SecretBox | undefined
  /** As stored; undefined: not read yet. */
  #seal: string | undefined

  constructor(database: Database, transactions: Transactions) {
    this.#database = database
    this.#transactions = transactions
  }

  /**
   * The first node stores the seal of its key, and later nodes check theirs.
   *
   * @param boxOf finds the key of a version; undefined: the database has none yet
   * @throws ConflictError `master_key_mismatch`, and what `boxOf` throws
   */
  async open(boxOf: (version: number | undefined) => SecretBox): Promise<SecretBox> {
    const { value } = (await this.#transactions.read(() => this.#stored())) ?? (await this.#begin(boxOf))
    const seal = bytesOfFact(value)
    const box = boxOf(versionOfSeal(seal))
    const hint =
      'Set TOCSIN_MASTER_KEY to the key of the other nodes, or of the server whose data was moved here.'
    requireSealOf(box, seal, 'the database', hint)
    this.#seal = value
    return (this.#box = box)
  }

  /** Another node may be first. */
  #begin(boxOf: (version: undefined) => SecretBox): Promise<{ readonly value: string }> {
    const box = boxOf(undefined)
    return this.#transactions.write(
      function* (this: SharedMasterKey) {
        const earlier = yield* this.#stored()
        if (earlier !== undefined) return earlier
        yield* setFact(this.#database, masterKeyFact, sealMasterKey(box))
        return (yield* this.#stored())!
      }.bind(this),
    )
  }

  #stored(): Work<{ readonly value: string } | undefined> {
    return this.#database.get<{ value: string }>(selectSeal, masterKeyFact)
  }

  /**
   * In each transaction of a process that is not among the nodes, which a rotation excludes: it must not seal anything with an earlier key.
   * Fails with UnavailableError `master_key_rotated`.
   */
  *require(): Work<void> {
    if (this.#seal === undefined) return
    yield* this.#database.check<{ value: string }>(
      (row) => (row === undefined || row.value === this.#seal ? undefined : rotated()),
      selectSeal,
      masterKeyFact,
    )
  }

  /**
   * Seals all secrets with another key, in one transaction. Gives the number of secrets.
   *
   * @throws ConflictError `nodes_running`, ConnectionError `secret_unreadable`
   */
  async rotate({ to: boxOf, by, clock, place }: SharedRotation): Promise<number> {
    const [from, seal] = [this.#box, this.#seal]
    if (from === undefined || seal === undefined) throw new Error('the key was not opened')
    const version = nextKeyVersion(versionOfSeal(bytesOfFact(seal)))
    const to = boxOf(version)
    return await this.#transactions.write(
      function* (this: SharedMasterKey) {
        const database = this.#database
        const present = yield* database.all<{ name: string }>('SELECT name FROM nodes WHERE gone_at IS NULL')
        if (present.length > 0) throw nodesRunning(present.map(({ name }) => name))
        if ((yield* this.#stored())?.value !== seal) throw rotated()
        const count = yield* resealSecrets(database, { from, to, version, by, clock, data: place })
        yield* setFact(database, masterKeyFact, sealMasterKey(to))
        this.#seal = (yield* this.#stored())?.value
        return count
      }.bind(this),
    )
  }
}

const rotated = (): UnavailableError =>
  new UnavailableError('master_key_rotated', 'the master key was rotated after this process had started', {
    retryAfterMs: 5000,
    hint: 'Set TOCSIN_MASTER_KEY to the new key, and start this process again.',
  })

const nodesRunning = (names: readonly string[]): ConflictError =>
  new ConflictError('nodes_running', `nodes use the database: ${names.join(', ')}`, {
    hint: 'Stop all nodes, and start them again with the new key afterwards.',
  })
