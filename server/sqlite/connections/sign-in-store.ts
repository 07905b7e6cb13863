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
import { SqliteStore, type StoreContext } from '../context/store-context.ts'
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
export class SqliteSignInStore extends SqliteStore implements SignInStore {
  readonly #secretBox: SecretBox

  constructor(context: StoreContext, secretBox: SecretBox) {
    super(context)
    this.#secretBox = secretBox
  }

  save(of: ConnectionId, made: NewSignIn, revision: number, by: Actor): Promise<Connection> {
    return this.commits.writeConfiguration(() => {
      const row = this.#row(of)
      requireRevision(row.revision, revision)
      const now = this.clock.now()
      this.#keep(row, beganSignIn(made, makeUuid(now), by, now))
      deleteTokens(this.database, row.id)
      this.#keepTokens(row, made)
      // Notes describe the credentials before.
      updateRow(this.database, 'connections', row.id, { broken: null, warning: null, lastFailure: null })
      const connection = toConnection(this.#row(of))
      recordConnection(this.context, 'connection.signed_in', connection, by, { scope: made.scope })
      return connection
    })
  }

  open(of: ConnectionId): Promise<OpenSignIn | undefined> {
    return this.database.read(() =>
      this.database.cache.get(`sign-in ${of.organizationUuid} ${of.uuid}`, () => {
        const row = this.#row(of)
        const { signIn } = toConnection(row)
        return signIn === null ? undefined : { signIn, ...this.#tokens(row) }
      }),
    )
  }

  beginRenewal(of: ConnectionId, id: string): Promise<boolean> {
    return this.commits.writeConfiguration(() => {
      const row = this.#row(of)
      const { signIn } = toConnection(row)
      if (signIn?.id !== id || signIn.ended !== null) return false
      this.#keep(row, { ...signIn, renewingSince: this.clock.now() })
      return true
    })
  }

  endRenewal(of: ConnectionId, id: string, outcome: RenewalOutcome): Promise<void> {
    return this.commits.writeConfiguration(() => {
      const row = this.#row(of)
      const { signIn } = toConnection(row)
      if (signIn?.id !== id) return
      this.#end(row, signIn, outcome)
    })
  }

  remove(of: ConnectionId, by: Actor): Promise<boolean> {
    return this.commits.writeConfiguration(() => {
      const row = this.#row(of)
      if (row.signIn === null) return false
      discardSignIn(this.database, row.id)
      recordConnection(this.context, 'connection.signed_out', toConnection(row), by)
      return true
    })
  }

  endInterrupted(reason: string): Promise<number> {
    return this.commits.writeConfiguration(() => {
      const rows = this.database.all<ConnectionRow>(`${selectConnection} WHERE t.sign_in IS NOT NULL`)
      const interrupted = rows.flatMap((row) => {
        const { signIn } = toConnection(row)
        return signIn === null || signIn.renewingSince === null ? [] : [{ row, signIn }]
      })
      for (const { row, signIn } of interrupted) this.#end(row, signIn, { kind: 'ended', reason })
      return interrupted.length
    })
  }

  #row({ organizationUuid, uuid }: ConnectionId): ConnectionRow {
    return requireConnectionRow(this.database, organizationUuid, uuid)
  }

  #keep({ id }: ConnectionRow, signIn: ConnectionSignIn): void {
    updateRow(this.database, 'connections', id, { signIn: toJson(signIn) })
  }

  #end(row: ConnectionRow, signIn: ConnectionSignIn, outcome: RenewalOutcome): void {
    this.#keep(row, signInAfterRenewal(signIn, outcome, this.clock.now()))
    if (outcome.kind === 'renewed') this.#keepTokens(row, outcome.tokens)
    if (outcome.kind !== 'ended') return
    deleteTokens(this.database, row.id)
    const details = { reason: outcome.reason }
    recordConnection(this.context, 'connection.sign_in_ended', toConnection(row), theServer, details)
  }

  /** An absent refresh token keeps the one before: most vendors issue one only at the sign-in. */
  #keepTokens(row: ConnectionRow, tokens: GrantedTokens): void {
    const { organizationUuid, uuid: connectionUuid } = row
    for (const name of ['access', 'refresh'] as const) {
      const token = tokens[name]
      if (token === undefined) continue
      const field = fields[name]
      const { keyVersion, bytes } = this.#secretBox.seal({ organizationUuid, connectionUuid, field }, token)
      this.database.run(
        `INSERT INTO sign_in_tokens (connection_id, field, key_version, sealed) VALUES (?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET key_version = excluded.key_version, sealed = excluded.sealed`,
        row.id,
        field,
        keyVersion,
        bytes,
      )
    }
  }

  #tokens({ id, organizationUuid, uuid: connectionUuid }: ConnectionRow): Omit<OpenSignIn, 'signIn'> {
    const rows = this.database.all<TokenRow>(
      'SELECT field, key_version AS keyVersion, sealed AS bytes FROM sign_in_tokens WHERE connection_id = ?',
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
export function discardSignIn(database: Database, row: number): void {
  deleteTokens(database, row)
  database.run('UPDATE connections SET sign_in = NULL WHERE id = ?', row)
}

function deleteTokens(database: Database, row: number): void {
  database.run('DELETE FROM sign_in_tokens WHERE connection_id = ?', row)
}
