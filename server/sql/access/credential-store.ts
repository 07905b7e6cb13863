import type { Work } from '../database/work.ts'
import type {
  AccountCredentials,
  NewPasskey,
  Passkey,
  TotpCredential,
} from '../../../core/access/credentials.ts'
import type { Actor, AuditAction } from '../../../core/domain/audit.ts'
import { ConflictError, NotFoundError } from '../../../core/errors/errors.ts'
import type { CredentialStore } from '../../../core/ports/access/credential-store.ts'
import {
  passkeyCounterGrew,
  requireNoTotp,
  requirePasskeyRoom,
  requireTotp,
} from '../../../core/transitions/access.ts'
import { insertNewRow } from '../context/rows.ts'
import { sealedColumns, opened } from '../context/sealed-values.ts'
import { SqlStore, type StoreContext } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'
import { fromJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { recordAccount, requireAccount } from './account-rows.ts'
import { endSessionsOf } from './session-store.ts'

interface PasskeyRow extends Omit<Passkey, 'transports' | 'isBackedUp' | 'publicKey'> {
  readonly publicKey: Buffer
  /** JSON. */
  readonly transports: string
  readonly isBackedUp: number
}

const selectPasskey = `
  SELECT p.uuid, p.credential_id AS "credentialId", p.public_key AS "publicKey", p.counter, p.transports, p.is_backed_up AS "isBackedUp",
    p.name, p.created_at AS "createdAt", p.last_used_at AS "lastUsedAt" FROM passkeys p`

const totpSecret = opened('secret', sealedColumns.totpSecret.place)

export class SqlCredentialStore extends SqlStore implements CredentialStore {
  of(accountUuid: string): Promise<AccountCredentials> {
    return this.read(function* () {
      const { id } = yield* requireAccount(this.database, accountUuid)
      const password = yield* this.database.get<{ hash: string; changedAt: number }>(
        'SELECT hash, changed_at AS "changedAt" FROM account_passwords WHERE account_id = ?',
        id,
      )
      const { left } = yield* this.database.one<{ left: number }>(
        'SELECT count(*) AS left FROM recovery_codes WHERE account_id = ?',
        id,
      )
      return {
        passwordHash: password?.hash ?? null,
        passwordChangedAt: password?.changedAt ?? null,
        totp: (yield* this.#totp(id)) ?? null,
        recoveryCodes: left,
        passkeys: (yield* this.database.all<PasskeyRow>(
          `${selectPasskey} WHERE p.account_id = ? ORDER BY p.id`,
          id,
        )).map(toPasskey),
      }
    })
  }

  async setPassword(accountUuid: string, hash: string, keeps: string | undefined, by: Actor): Promise<void> {
    await this.#change(accountUuid, 'account.password_changed', by, function* (id) {
      yield* setPassword(this.context, id, hash)
      yield* endSessionsOf(this.context, accountUuid, keeps, by)
    })
  }

  async rehash(accountUuid: string, hash: string): Promise<void> {
    await this.write(function* () {
      const { id } = yield* requireAccount(this.database, accountUuid)
      yield* this.database.run('UPDATE account_passwords SET hash = ? WHERE account_id = ?', hash, id)
    })
  }

  async offerTotp(accountUuid: string, secret: string): Promise<void> {
    await this.write(function* () {
      const { id } = yield* requireAccount(this.database, accountUuid)
      requireNoTotp(yield* this.#totp(id))
      yield* removeTotp(this.database, id)
      const sealed = this.database.kept(secret, true, `totp ${id}`)
      yield* this.database.run('INSERT INTO account_totp (account_id, secret) VALUES (?, ?)', id, sealed)
    })
  }

  async confirmTotp(
    accountUuid: string,
    step: number,
    codeHashes: readonly Uint8Array[],
    by: Actor,
  ): Promise<void> {
    await this.#change(accountUuid, 'account.totp_added', by, function* (id) {
      const totp = yield* this.#totp(id)
      requireTotp(totp !== undefined)
      requireNoTotp(totp)
      yield* this.database.run(
        'UPDATE account_totp SET confirmed_at = ?, last_step = ? WHERE account_id = ?',
        this.clock.now(),
        step,
        id,
      )
      yield* setCodes(this.database, id, codeHashes)
    })
  }

  useTotp(accountUuid: string, step: number): Promise<boolean> {
    return this.write(function* () {
      const { id } = yield* requireAccount(this.database, accountUuid)
      const sql = 'UPDATE account_totp SET last_step = ? WHERE account_id = ? AND last_step < ?'
      return (yield* this.database.run(sql, step, id, step)) === 1
    })
  }

  async removeTotp(accountUuid: string, by: Actor): Promise<void> {
    await this.#change(accountUuid, 'account.totp_removed', by, function* (id) {
      yield* removeTotp(this.database, id)
    })
  }

  async setRecoveryCodes(accountUuid: string, codeHashes: readonly Uint8Array[], by: Actor): Promise<void> {
    await this.#change(accountUuid, 'account.recovery_codes_replaced', by, function* (id) {
      requireTotp(((yield* this.#totp(id))?.confirmedAt ?? null) !== null)
      yield* setCodes(this.database, id, codeHashes)
    })
  }

  useRecoveryCode(accountUuid: string, codeHash: Uint8Array, by: Actor): Promise<boolean> {
    return this.write(function* () {
      const { id, account } = yield* requireAccount(this.database, accountUuid)
      const sql = 'DELETE FROM recovery_codes WHERE account_id = ? AND code_hash = ?'
      const isUsed = (yield* this.database.run(sql, id, codeHash)) === 1
      if (isUsed) yield* recordAccount(this.context, 'account.recovery_code_used', account, by)
      return isUsed
    })
  }

  addPasskey(accountUuid: string, passkey: NewPasskey, by: Actor): Promise<Passkey> {
    return this.write(function* () {
      const { id, account } = yield* requireAccount(this.database, accountUuid)
      const sql = 'SELECT count(*) AS held FROM passkeys WHERE account_id = ?'
      requirePasskeyRoom((yield* this.database.one<{ held: number }>(sql, id)).held)
      const createdAt = this.clock.now()
      const uuid = makeUuid(createdAt)
      const { transports, isBackedUp, ...rest } = passkey
      const row = { ...rest, uuid, accountId: id, isBackedUp: Number(isBackedUp), createdAt }
      const stored = { ...row, transports: JSON.stringify(transports) }
      if ((yield* insertNewRow(this.database, 'passkeys', stored)) === undefined)
        throw new ConflictError('passkey_exists', 'the passkey is registered already')
      yield* recordAccount(this.context, 'account.passkey_added', account, by, { passkey: passkey.name })
      return { ...passkey, uuid, createdAt, lastUsedAt: null }
    })
  }

  findPasskey(credentialId: string) {
    return this.read(function* () {
      const row = yield* this.database.get<PasskeyRow>(
        `${selectPasskey} WHERE p.credential_id = ?`,
        credentialId,
      )
      if (row === undefined) return undefined
      const { uuid: accountUuid } = yield* this.database.one<{ uuid: string }>(
        'SELECT a.uuid FROM accounts a JOIN passkeys p ON p.account_id = a.id WHERE p.uuid = ?',
        row.uuid,
      )
      return { accountUuid, passkey: toPasskey(row) }
    })
  }

  usePasskey(
    uuid: string,
    { counter, isBackedUp }: Pick<Passkey, 'counter' | 'isBackedUp'>,
  ): Promise<boolean> {
    return this.write(function* () {
      const row = yield* this.database.get<PasskeyRow>(`${selectPasskey} WHERE p.uuid = ?`, uuid)
      if (row === undefined || !passkeyCounterGrew(row.counter, counter)) return false
      yield* this.database.run(
        'UPDATE passkeys SET counter = ?, is_backed_up = ?, last_used_at = ? WHERE uuid = ?',
        counter,
        Number(isBackedUp),
        this.clock.now(),
        uuid,
      )
      return true
    })
  }

  async renamePasskey(accountUuid: string, uuid: string, name: string, by: Actor): Promise<void> {
    await this.#change(accountUuid, 'account.passkey_renamed', by, function* (id) {
      const sql = 'UPDATE passkeys SET name = ? WHERE account_id = ? AND uuid = ?'
      requirePasskey(yield* this.database.run(sql, name, id, uuid))
    })
  }

  async removePasskey(accountUuid: string, uuid: string, by: Actor): Promise<void> {
    await this.#change(accountUuid, 'account.passkey_removed', by, function* (id) {
      requirePasskey(
        yield* this.database.run('DELETE FROM passkeys WHERE account_id = ? AND uuid = ?', id, uuid),
      )
    })
  }

  /** Changes the row of the account with this key, and records it. */
  #change(
    accountUuid: string,
    action: AuditAction,
    by: Actor,
    work: (this: this, id: number) => Work<void>,
  ): Promise<void> {
    return this.write(function* () {
      const { id, account } = yield* requireAccount(this.database, accountUuid)
      yield* work.call(this, id)
      yield* recordAccount(this.context, action, account, by)
    })
  }

  *#totp(id: number): Work<TotpCredential | undefined> {
    return yield* this.database.get<TotpCredential>(
      `SELECT ${totpSecret} AS secret, confirmed_at AS "confirmedAt", last_step AS "lastStep" FROM account_totp WHERE account_id = ?`,
      id,
    )
  }
}

/** Inside of a write. */
export function* setPassword({ database, clock }: StoreContext, accountId: number, hash: string): Work<void> {
  yield* database.run(
    `INSERT INTO account_passwords (account_id, hash, changed_at) VALUES (?, ?, ?)
     ON CONFLICT (account_id) DO UPDATE SET hash = excluded.hash, changed_at = excluded.changed_at`,
    accountId,
    hash,
    clock.now(),
  )
}

/** Inside of a write: removes every way to sign in. */
export function* removeCredentials(database: Database, accountId: number): Work<void> {
  yield* removeTotp(database, accountId)
  for (const table of ['account_passwords', 'passkeys'])
    yield* database.run(`DELETE FROM ${table} WHERE account_id = ?`, accountId)
}

function* removeTotp(database: Database, accountId: number): Work<void> {
  for (const table of ['account_totp', 'recovery_codes'])
    yield* database.run(`DELETE FROM ${table} WHERE account_id = ?`, accountId)
}

function* setCodes(database: Database, accountId: number, codeHashes: readonly Uint8Array[]): Work<void> {
  yield* database.run('DELETE FROM recovery_codes WHERE account_id = ?', accountId)
  for (const codeHash of codeHashes)
    yield* database.run(
      'INSERT INTO recovery_codes (account_id, code_hash) VALUES (?, ?)',
      accountId,
      codeHash,
    )
}

/** @param changed rows */
function requirePasskey(changed: number): void {
  if (changed === 0) throw new NotFoundError('passkey_not_found', 'there is no such passkey')
}

const toPasskey = ({ publicKey, transports, isBackedUp, ...row }: PasskeyRow): Passkey => ({
  ...row,
  publicKey: new Uint8Array(publicKey),
  transports: fromJson<string[]>(transports),
  isBackedUp: isBackedUp === 1,
})
