import type { Work } from '../database/work.ts'
import { UnavailableError } from '../../../core/errors/errors.ts'
import type { ExclusiveJob } from '../../../core/ports/nodes/exclusive-work.ts'
import {
  goneListedMs,
  type GoneNode,
  type NodeReport,
  type NodeStore,
  type Renewal,
  type StoredNode,
} from '../../../core/ports/nodes/node-store.ts'
import { fromJson, toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { giveUpTurns } from '../runs/run-turns.ts'
import { SqlStore, type StoreContext } from '../context/store-context.ts'

const selectMember = 'SELECT 1 FROM nodes WHERE id = ? AND gone_at IS NULL'

/** Whether this process still has its row, once it has joined. */
export class Membership {
  readonly #database: Database
  #hasJoined = false
  #lost: UnavailableError | undefined
  #replaced: UnavailableError | undefined

  constructor(database: Database) {
    this.#database = database
  }

  begin(): void {
    this.#hasJoined = true
  }

  get hasJoined(): boolean {
    return this.#hasJoined
  }

  /** Inside of a write, before the row is changed. Throws UnavailableError `node_removed`. */
  *end(): Work<void> {
    const error = yield* this.removed()
    if (error !== undefined) throw error
    this.#hasJoined = false
  }

  /** In each transaction: a removed process commits nothing. Throws UnavailableError `node_removed` or `database_replaced`. */
  *require(): Work<void> {
    if (this.#replaced !== undefined) throw this.#replaced
    if (this.#hasJoined)
      yield* this.#database.check(
        (row) => (this.#lost = row === undefined ? this.#removal() : undefined),
        selectMember,
        this.#database.node,
      )
  }

  /** As the last transaction found it. */
  get lost(): UnavailableError | undefined {
    return this.#replaced ?? this.#lost
  }

  /** The database lacks what this process has committed: its caches and turns belong to another state. */
  noteReplaced(): UnavailableError {
    const message = 'the database lacks commits of this process: an earlier state of it was put in its place'
    return (this.#replaced = new UnavailableError('database_replaced', message, {
      retryAfterMs: 5000,
      hint: 'Send requests to another process. This one exits, and its next start resumes the runs of that state.',
    }))
  }

  *removed(): Work<UnavailableError | undefined> {
    const isMember =
      !this.#hasJoined || (yield* this.#database.get(selectMember, this.#database.node)) !== undefined
    return isMember ? undefined : this.#removal()
  }

  #removal(): UnavailableError {
    const message = this.#database.hasOneWriter
      ? 'another process has taken over the data directory'
      : 'the other nodes have removed this one: it did not renew its lease'
    return new UnavailableError('node_removed', message, {
      retryAfterMs: 5000,
      hint: 'Send requests to another process. This one exits within seconds.',
    })
  }
}

interface NodeRow extends Omit<StoredNode, 'peers' | 'report' | 'gone'> {
  readonly peers: string
  readonly report: string | null
  readonly goneAt: number | null
  readonly goneWhy: GoneNode['why'] | null
}

export class SqlNodeStore extends SqlStore implements NodeStore {
  readonly #membership: Membership
  /** As far as this process knows. */
  #renewedAt = -Infinity

  constructor(context: StoreContext, membership: Membership) {
    super(context)
    this.#membership = membership
  }

  get id(): string {
    return this.database.node
  }

  async join({ name, program }: Pick<StoredNode, 'name' | 'program'>): Promise<void> {
    const now = this.clock.now()
    await this.write(function* () {
      yield* this.database.run('DELETE FROM nodes WHERE gone_at <= ?', now - goneListedMs)
      yield* this.database.run(
        'INSERT INTO nodes (id, name, program, started_at, renewed_at) VALUES (?, ?, ?, ?, ?)',
        this.id,
        name,
        program,
        now,
        now,
      )
    })
    this.#membership.begin()
  }

  async renew({ peers, report }: Renewal = {}): Promise<void> {
    const now = this.clock.now()
    this.#renewedAt = await this.writeIn({ row: `node ${this.id}` }, function* () {
      const { renewedAt } = yield* this.database.one<{ renewedAt: number }>(
        'SELECT renewed_at AS "renewedAt" FROM nodes WHERE id = ?',
        this.id,
      )
      if (renewedAt < this.#renewedAt) throw this.#membership.noteReplaced()
      // Rises also after the clock was set back, so that others see the change.
      const next = Math.max(now, renewedAt + 1)
      yield* this.database.run(
        'UPDATE nodes SET renewed_at = ?, peers = coalesce(?, peers), report = coalesce(?, report) WHERE id = ?',
        next,
        toJson(peers),
        toJson(report),
        this.id,
      )
      return next
    })
  }

  async list(): Promise<readonly StoredNode[]> {
    const rows = await this.read(() =>
      this.database.all<NodeRow>(
        `SELECT id, name, program, started_at AS "startedAt", renewed_at AS "renewedAt", peers, report,
           gone_at AS "goneAt", gone_why AS "goneWhy" FROM nodes
         WHERE gone_at IS NULL OR gone_at > ? ORDER BY started_at, id`,
        this.clock.now() - goneListedMs,
      ),
    )
    return rows.map(toNode)
  }

  async remove(nodes: readonly Pick<StoredNode, 'id' | 'renewedAt'>[], why: GoneNode['why']): Promise<void> {
    await this.write(function* () {
      for (const { id, renewedAt } of nodes) yield* this.#end(why, 'id = ? AND renewed_at = ?', id, renewedAt)
      yield* giveUpTurns(this.database)
    })
  }

  async leave(): Promise<void> {
    await this.write(function* () {
      yield* this.#membership.end()
      yield* this.#end('left', 'id = ?', this.id)
      yield* giveUpTurns(this.database)
    })
  }

  async takeJob(job: ExclusiveJob): Promise<boolean> {
    const owner = () => this.database.get<{ node: string }>('SELECT node FROM node_jobs WHERE job = ?', job)
    const found = await this.read(owner)
    if (found?.node === this.id) return true
    const isFree = (node: string) =>
      this.read(() => this.database.get('SELECT 1 FROM nodes WHERE id = ? AND gone_at IS NULL', node))
    if (found !== undefined && (await isFree(found.node)) !== undefined) return false
    return await this.write(function* () {
      yield* this.database.run(
        `INSERT INTO node_jobs (job, node) VALUES (?, ?) ON CONFLICT (job) DO UPDATE SET node = excluded.node
         WHERE NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = node_jobs.node AND n.gone_at IS NULL)`,
        job,
        this.id,
      )
      return (yield* owner())?.node === this.id
    })
  }

  *#end(why: GoneNode['why'], which: string, ...values: readonly (string | number)[]): Work<void> {
    yield* this.database.run(
      `UPDATE nodes SET gone_at = ?, gone_why = ? WHERE gone_at IS NULL AND ${which}`,
      this.clock.now(),
      why,
      ...values,
    )
  }
}

const toNode = ({ peers, report, goneAt, goneWhy, ...row }: NodeRow): StoredNode => ({
  ...row,
  peers: fromJson<readonly string[]>(peers) ?? [],
  report: fromJson<NodeReport>(report),
  gone: goneAt === null || goneWhy === null ? null : { at: goneAt, why: goneWhy },
})
