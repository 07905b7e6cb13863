import type { Work } from '../database/work.ts'
import { emailKey, type Account, type AccountRole } from '../../../core/access/account.ts'
import type { Actor } from '../../../core/domain/audit.ts'
import { ConflictError } from '../../../core/errors/errors.ts'
import type { AccountChanges, AccountStore, NewAccount } from '../../../core/ports/access/account-store.ts'
import type { SeenRevision } from '../../../core/ports/common.ts'
import { givesMore, requireAnotherAdministrator, requireRevision } from '../../../core/transitions/access.ts'
import { insertNewRow, insertRow } from '../context/rows.ts'
import { SqlStore, type StoreContext } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'
import type { Database } from '../database/database.ts'
import {
  accountByEmail,
  allAccounts,
  findAccount,
  recordAccount,
  requireAccount,
  useInvitations,
} from './account-rows.ts'
import { allKeys } from './key-rows.ts'
import { requireOrganization } from './organization-store.ts'
import { endSessionsOf, endSessionsWhere } from './session-store.ts'

export class SqlAccountStore extends SqlStore implements AccountStore {
  create(account: NewAccount, by: Actor): Promise<Account> {
    return this.writeConfiguration(() => insertAccount(this.context, account, by))
  }

  find(uuid: string): Promise<Account | undefined> {
    return this.read(function* () {
      return (yield* findAccount(this.database, uuid))?.account
    })
  }

  byEmail(email: string): Promise<Account | undefined> {
    return this.read(() => accountByEmail(this.database, email))
  }

  list(): Promise<readonly Account[]> {
    return this.read(() => allAccounts(this.database))
  }

  change(uuid: string, changes: AccountChanges, revision: SeenRevision, by: Actor): Promise<Account> {
    return this.writeConfiguration(function* () {
      const { id, account } = yield* requireAccount(this.database, uuid)
      requireRevision(account.revision, revision)
      const { email = account.email, name = account.name, roles = account.roles } = changes
      yield* this.#keepAdministrator({ ...account, email, name, roles })
      yield* this.#requireUnusedEmail(email, id)
      yield* this.database.run(
        'UPDATE accounts SET email = ?, email_key = ?, name = ?, revision = revision + 1 WHERE id = ?',
        email,
        emailKey(email),
        name,
        id,
      )
      if (changes.roles !== undefined) yield* setRoles(this.database, id, roles)
      if (givesMore(account.roles, roles)) yield* useInvitations(this.database, id, this.clock.now())
      const changed = (yield* requireAccount(this.database, uuid)).account
      yield* recordAccount(this.context, 'account.changed', changed, by)
      return changed
    })
  }

  disable(uuid: string, by: Actor): Promise<Account> {
    return this.writeConfiguration(function* () {
      const { id, account } = yield* requireAccount(this.database, uuid)
      if (account.disabledAt !== null) return account
      const disabledAt = this.clock.now()
      yield* this.#keepAdministrator({ ...account, disabledAt })
      yield* this.database.run('UPDATE accounts SET disabled_at = ? WHERE id = ?', disabledAt, id)
      yield* endSessionsOf(this.context, uuid, undefined, by)
      // Otherwise those of the person's keys would go on once the account is enabled.
      yield* endSessionsWhere(this.context, { sql: 'k.owner_id = ?', values: [id] }, by)
      yield* recordAccount(this.context, 'account.disabled', account, by)
      return (yield* requireAccount(this.database, uuid)).account
    })
  }

  enable(uuid: string, by: Actor): Promise<Account> {
    return this.writeConfiguration(function* () {
      const { id, account } = yield* requireAccount(this.database, uuid)
      if (account.disabledAt === null) return account
      yield* this.database.run('UPDATE accounts SET disabled_at = NULL WHERE id = ?', id)
      yield* recordAccount(this.context, 'account.enabled', account, by)
      return (yield* requireAccount(this.database, uuid)).account
    })
  }

  join(uuid: string, by: Actor): Promise<Account> {
    return this.writeConfiguration(() => joinAccount(this.context, uuid, by))
  }

  async recordUse(uuid: string, at: number): Promise<void> {
    const sql = 'UPDATE accounts SET last_used_at = ? WHERE uuid = ?'
    await this.writeIn({ row: `account ${uuid}` }, () => this.database.run(sql, at, uuid))
  }

  *#requireUnusedEmail(email: string, id: number): Work<void> {
    const sql = 'SELECT 1 FROM accounts WHERE email_key = ? AND id <> ?'
    if ((yield* this.database.get(sql, emailKey(email), id)) !== undefined) throw accountExists(email)
  }

  /** In the transaction of the change: of two changes at once, the second sees the first. */
  *#keepAdministrator(changed: Account): Work<void> {
    const all = { keys: yield* allKeys(this.database), accounts: yield* allAccounts(this.database) }
    requireAnotherAdministrator(changed, all, this.clock.now())
  }
}

/** Inside of a write. Throws ConflictError `account_exists`, NotFoundError `organization_not_found`. */
export function* insertAccount(
  context: StoreContext,
  { email, name, roles }: NewAccount,
  by: Actor,
): Work<Account> {
  const { database, clock } = context
  const createdAt = clock.now()
  const uuid = makeUuid(createdAt)
  const given = { uuid, email, emailKey: emailKey(email), name, createdAt }
  const id = yield* insertNewRow(database, 'accounts', given)
  if (id === undefined) throw accountExists(email)
  // The link for the first administrator is for a server without accounts.
  yield* database.run('DELETE FROM invitations WHERE account_id IS NULL AND used_at IS NULL')
  yield* setRoles(database, id, roles)
  const created = (yield* requireAccount(database, uuid)).account
  yield* recordAccount(context, 'account.created', created, by)
  return (yield* requireAccount(database, uuid)).account
}

/** Inside of a write. Throws NotFoundError `account_not_found`. */
export function* joinAccount(context: StoreContext, uuid: string, by: Actor): Work<Account> {
  const { database, clock } = context
  const { id, account } = yield* requireAccount(database, uuid)
  if (account.joinedAt !== null) return account
  yield* database.run('UPDATE accounts SET joined_at = ? WHERE id = ?', clock.now(), id)
  yield* recordAccount(context, 'account.joined', account, by)
  return (yield* requireAccount(database, uuid)).account
}

const accountExists = (email: string): ConflictError =>
  new ConflictError('account_exists', `an account with the e-mail address ${email} already exists`)

function* setRoles(database: Database, accountId: number, roles: readonly AccountRole[]): Work<void> {
  yield* database.run('DELETE FROM account_roles WHERE account_id = ?', accountId)
  for (const { role, organizationUuid } of roles) {
    const organizationId =
      organizationUuid === null ? null : (yield* requireOrganization(database, organizationUuid)).id
    yield* insertRow(database, 'account_roles', { accountId, role, organizationId })
  }
}
