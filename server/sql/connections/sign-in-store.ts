import type { Work } from '../database/work.ts'
import { theServer, type Actor } from '../../../core/domain/audit.ts'
import type { Connection, ConnectionSignIn } from '../../../core/domain/connection.ts'
import type {
  ConnectionId,
  GrantedTokens,
  NewSignIn,
  OpenSignIn,
  RenewalOutcome,
  SignInStore,
} from '../../../core/ports/sign-in-store.ts'
import { requireRevision } from '../../../core/transitions/access.ts'
import { beganSignIn, signInAfterRenewal } from '../../../core/transitions/sign-in.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { updateRow } from '../context/rows.ts'
import { SqlStore, type StoreContext } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'
import { toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import {
  recordConnection,
  requireConnectionRow,
  selectConnection,
  toConnection,
  type ConnectionRow,
} from './connection-rows.ts'

interface TokenRow {
  readonly field: string
  readonly keyVersion: number
  readonly bytes: Buffer
}

/** Cannot be the names of a plugin's fields. */
const fields = { access: '@access_token', refresh: '@refresh_token' } as const

/** The sign-ins of connections, one for each at most. */
export class SqlSignInStore extends SqlStore implements SignInStore {
  readonly #secretBox: SecretBox

  constructor(context: StoreContext, secretBox: SecretBox) {
    super(context)
    this.#secretBox = secretBox
  }

  save(of: ConnectionId, made: NewSignIn, revision: number, by: Actor): Promise<Connection> {
    return this.writeConfiguration(function* () {
      const row = yield* this.#row(of)
      requireRevision(row.revision, revision)
      const now = this.clock.now()
      yield* this.#keep(row, beganSignIn(made, makeUuid(now), by, now))
      yield* deleteTokens(this.database, row.id)
      yield* this.#keepTokens(row, made)
      // Notes describe the credentials before.
      yield* updateRow(this.database, 'connections', row.id, {
        broken: null,
        warning: null,
        lastFailure: null,
      })
      const connection = toConnection(yield* this.#row(of))
      yield* recordConnection(this.context, 'connection.signed_in', connection, by, { scope: made.scope })
      return connection
    })
  }

  open(of: ConnectionId): Promise<OpenSignIn | undefined> {
    return this.read(() =>
      this.database.cache.get(`sign-in ${of.organizationUuid} ${of.uuid}`, () => this.#open(of)),
    )
  }

  *#open(of: ConnectionId): Work<OpenSignIn | undefined> {
    const row = yield* this.#row(of)
    const { signIn } = toConnection(row)
    return signIn === null ? undefined : { signIn, ...(yield* this.#tokens(row)) }
  }

  beginRenewal(of: ConnectionId, id: string): Promise<boolean> {
    return this.writeConfiguration(function* () {
      const row = yield* this.#row(of)
      const { signIn } = toConnection(row)
      if (signIn?.id !== id || signIn.ended !== null) return false
      const { node } = this.database
      if (signIn.renewingSince !== null && signIn.renewingOn !== node && (yield* this.#isAmongNodes(signIn)))
        return false
      yield* this.#keep(row, { ...signIn, renewingSince: this.clock.now(), renewingOn: node })
      return true
    })
  }

  endRenewal(of: ConnectionId, id: string, outcome: RenewalOutcome): Promise<void> {
    return this.writeConfiguration(function* () {
      const row = yield* this.#row(of)
      const { signIn } = toConnection(row)
      if (signIn?.id !== id) return
      yield* this.#end(row, signIn, outcome)
    })
  }

  remove(of: ConnectionId, by: Actor): Promise<boolean> {
    return this.writeConfiguration(function* () {
      const row = yield* this.#row(of)
      if (row.signIn === null) return false
      yield* discardSignIn(this.database, row.id)
      yield* recordConnection(this.context, 'connection.signed_out', toConnection(row), by)
      return true
    })
  }

  endInterrupted(reason: string): Promise<number> {
    return this.writeConfiguration(function* () {
      const rows = yield* this.database.all<ConnectionRow>(
        `${selectConnection} WHERE t.sign_in IS NOT NULL ORDER BY t.id`,
      )
      let ended = 0
      for (const row of rows) {
        const { signIn } = toConnection(row)
        if (signIn === null || signIn.renewingSince === null || (yield* this.#isAmongNodes(signIn))) continue
        yield* this.#end(row, signIn, { kind: 'ended', reason })
        ended++
      }
      return ended
    })
  }

  /** Whether the process that renews a sign-in takes part in failover; a process without is never among the nodes. */
  *#isAmongNodes({ renewingOn }: ConnectionSignIn): Work<boolean> {
    if (renewingOn === undefined) return false
    const sql = 'SELECT 1 FROM nodes WHERE id = ? AND gone_at IS NULL'
    return (yield* this.database.get(sql, renewingOn)) !== undefined
  }

  *#row({ organizationUuid, uuid }: ConnectionId): Work<ConnectionRow> {
    return yield* requireConnectionRow(this.database, organizationUuid, uuid)
  }

  *#keep({ id }: ConnectionRow, signIn: ConnectionSignIn): Work<void> {
    yield* updateRow(this.database, 'connections', id, { signIn: toJson(signIn) })
  }

  *#end(row: ConnectionRow, signIn: ConnectionSignIn, outcome: RenewalOutcome): Work<void> {
    yield* this.#keep(row, signInAfterRenewal(signIn, outcome, this.clock.now()))
    if (outcome.kind === 'renewed') yield* this.#keepTokens(row, outcome.tokens)
    if (outcome.kind !== 'ended') return
    yield* deleteTokens(this.database, row.id)
    const details = { reason: outcome.reason }
    yield* recordConnection(this.context, 'connection.sign_in_ended', toConnection(row), theServer, details)
  }

  /** An absent refresh token keeps the one before: most vendors issue one only at the sign-in. */
  *#keepTokens(row: ConnectionRow, tokens: GrantedTokens): Work<void> {
    const { organizationUuid, uuid: connectionUuid } = row
    for (const name of ['access', 'refresh'] as const) {
      const token = tokens[name]
      if (token === undefined) continue
      const field = fields[name]
      const { keyVersion, bytes } = this.#secretBox.seal({ organizationUuid, connectionUuid, field }, token)
      yield* this.database.run(
        `INSERT INTO sign_in_tokens (connection_id, field, key_version, sealed) VALUES (?, ?, ?, ?)
           ON CONFLICT (connection_id, field) DO UPDATE SET key_version = excluded.key_version, sealed = excluded.sealed`,
        row.id,
        field,
        keyVersion,
        bytes,
      )
    }
  }

  *#tokens({ id, organizationUuid, uuid: connectionUuid }: ConnectionRow): Work<Omit<OpenSignIn, 'signIn'>> {
    const rows = yield* this.database.all<TokenRow>(
      'SELECT field, key_version AS "keyVersion", sealed AS bytes FROM sign_in_tokens WHERE connection_id = ?',
      id,
    )
    const open = (wanted: string) => {
      const found = rows.find(({ field }) => field === wanted)
      return found && this.#secretBox.open({ organizationUuid, connectionUuid, field: wanted }, found)
    }
    return { access: open(fields.access), refresh: open(fields.refresh) }
  }
}

/** Inside of a write. */
export function* discardSignIn(database: Database, row: number): Work<void> {
  yield* deleteTokens(database, row)
  yield* database.run('UPDATE connections SET sign_in = NULL WHERE id = ?', row)
}

function* deleteTokens(database: Database, row: number): Work<void> {
  yield* database.run('DELETE FROM sign_in_tokens WHERE connection_id = ?', row)
}
