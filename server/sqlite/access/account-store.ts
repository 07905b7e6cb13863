import { emailKey, type Account, type AccountRole } from '../../../core/access/account.ts'
import type { Actor } from '../../../core/domain/audit.ts'
import { ConflictError } from '../../../core/errors/errors.ts'
import type { AccountChanges, AccountStore, NewAccount } from '../../../core/ports/access/account-store.ts'
import type { SeenRevision } from '../../../core/ports/common.ts'
import { givesMore, requireAnotherAdministrator, requireRevision } from '../../../core/transitions/access.ts'
import { insertRow } from '../context/rows.ts'
import { SqliteStore, type StoreContext } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'
import type { Database } from '../database/database.ts'
import { isUniqueViolation } from '../database/storage-errors.ts'
import {
  accountByEmail,
  allAccounts,
  findAccount,
  recordAccount,
  requireAccount,
  useInvitations,
} from './account-rows.ts'
import { allKeys } from './key-store.ts'
import { requireOrganization } from './organization-store.ts'
import { endSessionsOf } from './session-store.ts'

export class SqliteAccountStore extends SqliteStore implements AccountStore {
  create(account: NewAccount, by: Actor): Promise<Account> {
    return this.commits.writeConfiguration(() => insertAccount(this.context, account, by))
  }

  find(uuid: string): Promise<Account | undefined> {
    return this.database.read(() =>
      this.database.cache.get(`account ${uuid}`, () => findAccount(this.database, uuid)?.account),
    )
  }

  byEmail(email: string): Promise<Account | undefined> {
    return this.database.read(() => accountByEmail(this.database, email))
  }

  list(): Promise<readonly Account[]> {
    return this.database.read(() => allAccounts(this.database))
  }

  change(uuid: string, changes: AccountChanges, revision: SeenRevision, by: Actor): Promise<Account> {
    return this.commits.writeConfiguration(() => {
      const { id, account } = requireAccount(this.database, uuid)
      requireRevision(account.revision, revision)
      const { email = account.email, name = account.name, roles = account.roles } = changes
      this.#keepAdministrator({ ...account, email, name, roles })
      refusingDuplicates(email, () =>
        this.database.run(
          'UPDATE accounts SET email = ?, email_key = ?, name = ?, revision = revision + 1 WHERE id = ?',
          email,
          emailKey(email),
          name,
          id,
        ),
      )
      if (changes.roles !== undefined) setRoles(this.database, id, roles)
      if (givesMore(account.roles, roles)) useInvitations(this.database, id, this.clock.now())
      const changed = requireAccount(this.database, uuid).account
      recordAccount(this.context, 'account.changed', changed, by)
      return changed
    })
  }

  disable(uuid: string, by: Actor): Promise<Account> {
    return this.commits.writeConfiguration(() => {
      const { id, account } = requireAccount(this.database, uuid)
      if (account.disabledAt !== null) return account
      const disabledAt = this.clock.now()
      this.#keepAdministrator({ ...account, disabledAt })
      this.database.run('UPDATE accounts SET disabled_at = ? WHERE id = ?', disabledAt, id)
      endSessionsOf(this.context, uuid, undefined, by)
      recordAccount(this.context, 'account.disabled', account, by)
      return requireAccount(this.database, uuid).account
    })
  }

  enable(uuid: string, by: Actor): Promise<Account> {
    return this.commits.writeConfiguration(() => {
      const { id, account } = requireAccount(this.database, uuid)
      if (account.disabledAt === null) return account
      this.database.run('UPDATE accounts SET disabled_at = NULL WHERE id = ?', id)
      recordAccount(this.context, 'account.enabled', account, by)
      return requireAccount(this.database, uuid).account
    })
  }

  join(uuid: string, by: Actor): Promise<Account> {
    return this.commits.writeConfiguration(() => joinAccount(this.context, uuid, by))
  }

  async recordUse(uuid: string, at: number): Promise<void> {
    await this.commits.writeConfiguration(() =>
      this.database.run('UPDATE accounts SET last_used_at = ? WHERE uuid = ?', at, uuid),
    )
  }

  /** In the transaction of the change: of two changes at once, the second sees the first. */
  #keepAdministrator(changed: Account): void {
    const all = { keys: allKeys(this.database), accounts: allAccounts(this.database) }
    requireAnotherAdministrator(changed, all, this.clock.now())
  }
}

/** Inside of a write. Throws ConflictError `account_exists`, NotFoundError `organization_not_found`. */
export function insertAccount(context: StoreContext, { email, name, roles }: NewAccount, by: Actor): Account {
  const { database, clock } = context
  const createdAt = clock.now()
  const uuid = makeUuid(createdAt)
  const id = refusingDuplicates(email, () =>
    insertRow(database, 'accounts', { uuid, email, emailKey: emailKey(email), name, createdAt }),
  )
  setRoles(database, id, roles)
  const created = requireAccount(database, uuid).account
  recordAccount(context, 'account.created', created, by)
  return requireAccount(database, uuid).account
}

/** Inside of a write. Throws NotFoundError `account_not_found`. */
export function joinAccount(context: StoreContext, uuid: string, by: Actor): Account {
  const { database, clock } = context
  const { id, account } = requireAccount(database, uuid)
  if (account.joinedAt !== null) return account
  database.run('UPDATE accounts SET joined_at = ? WHERE id = ?', clock.now(), id)
  recordAccount(context, 'account.joined', account, by)
  return requireAccount(database, uuid).account
}

function refusingDuplicates<T>(email: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw new ConflictError('account_exists', `an account with the e-mail address ${email} already exists`)
  }
}

function setRoles(database: Database, accountId: number, roles: readonly AccountRole[]): void {
  database.run('DELETE FROM account_roles WHERE account_id = ?', accountId)
  for (const { role, organizationUuid } of roles) {
    const organizationId =
      organizationUuid === null ? null : requireOrganization(database, organizationUuid).id
    insertRow(database, 'account_roles', { accountId, role, organizationId })
  }
}
