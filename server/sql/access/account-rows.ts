import type { Work } from '../database/work.ts'
import { emailKey, type Account, type AccountRole } from '../../../core/access/account.ts'
import type { Actor, AuditAction } from '../../../core/domain/audit.ts'
import { NotFoundError } from '../../../core/errors/errors.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { pick, selectList } from '../context/rows.ts'
import type { StoreContext } from '../context/store-context.ts'
import { fromJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'

interface AccountRow extends Omit<Account, 'roles' | 'createdBy'> {
  readonly id: number
  /** JSON. */
  readonly roles: string
  readonly createdBy: string | null
}

/** Fields that have their own column. */
const stored = [
  'uuid',
  'email',
  'name',
  'createdAt',
  'joinedAt',
  'disabledAt',
  'lastUsedAt',
  'revision',
] as const satisfies readonly (keyof Account)[]

const selectAccount = `
  SELECT t.id, ${selectList(stored)},
    (SELECT '[' || coalesce(string_agg('{"role":' || json_quote(r.role) || ',"organizationUuid":' || json_quote(o.uuid) || '}',
      ',' ORDER BY r.id), '') || ']' FROM account_roles r LEFT JOIN organizations o ON o.id = r.organization_id WHERE r.account_id = t.id) AS roles,
    (SELECT a.entry -> '$.actor' FROM audit a WHERE a.subject_id = t.uuid AND a.action = 'account.created' LIMIT 1) AS "createdBy"
  FROM accounts t`

/** An audit entry belongs to an organization only if all roles of the account are in it. */
export function* recordAccount(
  context: StoreContext,
  action: AuditAction,
  { uuid, email, name, roles }: Account,
  by: Actor,
  details: Readonly<Record<string, unknown>> = {},
): Work<void> {
  const [only = null, ...others] = new Set(roles.map(({ organizationUuid }) => organizationUuid))
  yield* recordAudit(context, {
    action,
    by,
    organizationUuid: others.length === 0 ? only : null,
    subject: { kind: 'account', id: uuid, name },
    details: {
      email,
      roles: roles.map((each) => ({ role: each.role, organization_uuid: each.organizationUuid })),
      ...details,
    },
  })
}

export interface FoundAccount {
  /** Key of the row. */
  readonly id: number
  readonly account: Account
}

export function* findAccount(database: Database, uuid: string): Work<FoundAccount | undefined> {
  const row = yield* database.get<AccountRow>(`${selectAccount} WHERE t.uuid = ?`, uuid)
  return row && { id: row.id, account: toAccount(row) }
}

/** Throws NotFoundError `account_not_found`. */
export function* requireAccount(database: Database, uuid: string): Work<FoundAccount> {
  const found = yield* findAccount(database, uuid)
  if (found !== undefined) return found
  throw new NotFoundError('account_not_found', `there is no account ${uuid.slice(0, 64)}`)
}

export function* accountByEmail(database: Database, email: string): Work<Account | undefined> {
  const row = yield* database.get<AccountRow>(`${selectAccount} WHERE t.email_key = ?`, emailKey(email))
  return row && toAccount(row)
}

export function* allAccounts(database: Database): Work<readonly Account[]> {
  return (yield* database.all<AccountRow>(`${selectAccount} ORDER BY t.id`)).map(toAccount)
}

const toAccount = (row: AccountRow): Account => ({
  ...pick(row, stored),
  createdBy: fromJson<Account['createdBy']>(row.createdBy),
  roles: fromJson<AccountRole[]>(row.roles),
})

/** Inside of a write: uses up the open invitations of an account. Gives their number. */
export const useInvitations = (database: Database, accountId: number, now: number): Work<number> =>
  database.run(
    'UPDATE invitations SET used_at = ? WHERE account_id = ? AND used_at IS NULL AND expires_at > ?',
    now,
    accountId,
    now,
  )
