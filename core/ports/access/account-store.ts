import type { Account, AccountRole } from '../../access/account.ts'
import type { Actor } from '../../domain/audit.ts'
import type { SeenRevision } from '../common.ts'

/** Accounts are never deleted: what a person did keeps the name. */
export interface AccountStore {
  /** Throws ConflictError `account_exists`, NotFoundError `organization_not_found`. */
  create(account: NewAccount, by: Actor): Promise<Account>
  find(uuid: string): Promise<Account | undefined>
  /** Ignores case. */
  byEmail(email: string): Promise<Account | undefined>
  list(): Promise<readonly Account[]>
  /**
   * Throws NotFoundError `account_not_found`, `organization_not_found`, ConflictError `revision_changed`, `account_exists`,
   * `last_admin_account`.
   */
  change(uuid: string, changes: AccountChanges, revision: SeenRevision, by: Actor): Promise<Account>
  /**
   * Disables an account and ends its sessions in the same write. Does nothing for a disabled one. Throws NotFoundError
   * `account_not_found`, ConflictError `last_admin_account`.
   */
  disable(uuid: string, by: Actor): Promise<Account>
  /** Ends the disabling. Throws NotFoundError `account_not_found`. */
  enable(uuid: string, by: Actor): Promise<Account>
  /** Records that the person has a way to sign in; does nothing for one who has. Throws NotFoundError `account_not_found`. */
  join(uuid: string, by: Actor): Promise<Account>
  /** Records the last use, in epoch milliseconds. */
  recordUse(uuid: string, at: number): Promise<void>
}

export interface NewAccount {
  readonly email: string
  readonly name: string
  readonly roles: readonly AccountRole[]
}

export type AccountChanges = Partial<NewAccount>
