import type { Work } from '../database/work.ts'
import type { Account } from '../../../core/access/account.ts'
import type { Actor } from '../../../core/domain/audit.ts'
import type { ProviderSession, SignOnAttempt } from '../../../core/identity/provider-session.ts'
import type { NewAccount } from '../../../core/ports/access/account-store.ts'
import type {
  Confirmation,
  EndedAtProvider,
  IdentityKey,
  NewProviderSession,
  NewSignOnAttempt,
  SingleSignOnStore,
} from '../../../core/ports/access/single-sign-on-store.ts'
import { requireLinkable } from '../../../core/transitions/access.ts'
import { deleteExpired, expiringTables, insertRow } from '../context/rows.ts'
import { SqlStore } from '../context/store-context.ts'
import { findAccount, requireAccount, useInvitations } from './account-rows.ts'
import { insertAccount, joinAccount } from './account-store.ts'
import { endSessionsWhere } from './session-store.ts'

/** So that nobody can fill the database with sign-ins that never end. */
const maxAttempts = 10_000

export class SqlSingleSignOnStore extends SqlStore implements SingleSignOnStore {
  async begin(attempt: NewSignOnAttempt): Promise<void> {
    const { browserHash, state, nonce, verifier, returnTo, expiresAt } = attempt
    await this.write(function* () {
      yield* deleteExpired(this.database, expiringTables.signOnAttempts, this.clock.now())
      yield* insertRow(this.database, 'sign_on_attempts', {
        browserHash,
        state,
        nonce,
        verifier,
        returnTo,
        expiresAt,
      })
      yield* this.database.run(
        `DELETE FROM sign_on_attempts WHERE id <= (SELECT MAX(id) FROM sign_on_attempts) - ${maxAttempts}`,
      )
    })
  }

  take(browserHash: Uint8Array): Promise<SignOnAttempt | undefined> {
    return this.write(function* () {
      const found = yield* this.database.get<SignOnAttempt>(
        `SELECT state, nonce, verifier, return_to AS "returnTo", expires_at AS "expiresAt"
         FROM sign_on_attempts WHERE browser_hash = ?`,
        browserHash,
      )
      if (found === undefined) return undefined
      yield* this.database.run('DELETE FROM sign_on_attempts WHERE browser_hash = ?', browserHash)
      return found.expiresAt > this.clock.now() ? found : undefined
    })
  }

  accountOf(identity: IdentityKey): Promise<Account | undefined> {
    return this.read(() => this.#accountOf(identity))
  }

  isOfIssuer(accountUuid: string, issuer: string): Promise<boolean> {
    const sql = `SELECT 1 FROM account_identities i JOIN accounts a ON a.id = i.account_id WHERE a.uuid = ? AND i.issuer = ?`
    return this.read(function* () {
      return (yield* this.database.get(sql, accountUuid, issuer)) !== undefined
    })
  }

  createAccount(identity: IdentityKey, account: NewAccount, by: Actor): Promise<Account> {
    return this.writeConfiguration(function* () {
      requireLinkable(yield* this.#accountOf(identity), undefined, false)
      const { uuid } = yield* insertAccount(this.context, account, by)
      return yield* this.#link(identity, uuid, by)
    })
  }

  linkInvited(identity: IdentityKey, accountUuid: string, by: Actor): Promise<Account> {
    return this.writeConfiguration(function* () {
      const { id, account } = yield* requireAccount(this.database, accountUuid)
      const used = yield* useInvitations(this.database, id, this.clock.now())
      requireLinkable(yield* this.#accountOf(identity), account, used > 0)
      return yield* this.#link(identity, accountUuid, by)
    })
  }

  async attach(sessionUuid: string, session: NewProviderSession): Promise<void> {
    const { issuer, subject, sessionId, sealedTokens, isRenewable, checkedAt } = session
    await this.write(() =>
      // Nothing if the session has ended meanwhile.
      this.database.run(
        `INSERT INTO provider_sessions
           (session_id, issuer, subject, provider_session, sealed_tokens, is_renewable, checked_at)
         SELECT id, ?, ?, ?, ?, ?, ? FROM sessions WHERE uuid = ?`,
        issuer,
        subject,
        sessionId,
        sealedTokens,
        Number(isRenewable),
        checkedAt,
        sessionUuid,
      ),
    )
  }

  providerSession(sessionUuid: string): Promise<ProviderSession | undefined> {
    return this.read(function* () {
      const row = yield* this.database.get<
        Omit<ProviderSession, 'isRenewable'> & { readonly isRenewable: number }
      >(
        `SELECT p.issuer, p.subject, p.sealed_tokens AS "sealedTokens", p.is_renewable AS "isRenewable",
           p.checked_at AS "checkedAt"
         FROM provider_sessions p JOIN sessions s ON s.id = p.session_id WHERE s.uuid = ?`,
        sessionUuid,
      )
      return row && { ...row, isRenewable: row.isRenewable === 1 }
    })
  }

  async confirm(sessionUuid: string, { sealedTokens, isRenewable, checkedAt }: Confirmation): Promise<void> {
    await this.write(() =>
      this.database.run(
        `UPDATE provider_sessions SET sealed_tokens = ?, is_renewable = ?, checked_at = ?
         WHERE session_id = (SELECT id FROM sessions WHERE uuid = ?)`,
        sealedTokens,
        Number(isRenewable),
        checkedAt,
        sessionUuid,
      ),
    )
  }

  endSessions({ issuer, subject, sessionId }: EndedAtProvider, by: Actor): Promise<number> {
    // Without both, it would end everybody's sessions.
    if (subject === null && sessionId === null) return Promise.resolve(0)
    const where = `s.id IN (SELECT session_id FROM provider_sessions
      WHERE issuer = ? AND subject = coalesce(?, subject) AND provider_session IS NOT DISTINCT FROM coalesce(?, provider_session))`
    return this.write(() =>
      endSessionsWhere(this.context, { sql: where, values: [issuer, subject, sessionId] }, by),
    )
  }

  claim(hash: Uint8Array, until: number): Promise<boolean> {
    return this.write(function* () {
      yield* deleteExpired(this.database, expiringTables.logoutTokens, this.clock.now())
      const sql = 'INSERT INTO logout_tokens (hash, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING'
      return (yield* this.database.run(sql, hash, until)) > 0
    })
  }

  async release(hash: Uint8Array): Promise<void> {
    await this.write(() => this.database.run('DELETE FROM logout_tokens WHERE hash = ?', hash))
  }

  *#accountOf({ issuer, subject }: IdentityKey): Work<Account | undefined> {
    const row = yield* this.database.get<{ readonly uuid: string }>(
      `SELECT a.uuid FROM account_identities i JOIN accounts a ON a.id = i.account_id
       WHERE i.issuer = ? AND i.subject = ?`,
      issuer,
      subject,
    )
    return row && (yield* findAccount(this.database, row.uuid))?.account
  }

  *#link({ issuer, subject }: IdentityKey, accountUuid: string, by: Actor): Work<Account> {
    const { id: accountId } = yield* requireAccount(this.database, accountUuid)
    yield* insertRow(this.database, 'account_identities', {
      accountId,
      issuer,
      subject,
      createdAt: this.clock.now(),
    })
    return yield* joinAccount(this.context, accountUuid, by)
  }
}
