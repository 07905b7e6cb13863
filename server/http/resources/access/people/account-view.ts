import { accountState, accountStates, type Account } from '../../../../../core/access/account.ts'
import { isInScope } from '../../../../../core/common/scope.ts'
import type { OrganizationScope } from '../../../../../core/ports/common.ts'
import type { Stores } from '../../../../../core/ports/stores.ts'
import type { Directory } from '../../../caller/directory.ts'
import { RequestError } from '../../../request/request-error.ts'
import { actorSchema } from '../../system/audit.ts'
import { objectSchema, text, textOrNull, time, timeOrNull } from '../../system/page.ts'

export const accountFields = {
  account_uuid: text,
  email: text,
  name: text,
  state: { enum: accountStates, description: '`invited`: has not signed in yet.' },
  roles: {
    type: 'array',
    items: objectSchema({
      role: text,
      organization_code: { ...textOrNull, description: 'null: all organizations, including later ones.' },
    }),
  },
  revision: { type: 'integer', minimum: 1, description: 'Counts edits; part of the `ETag` for `If-Match`.' },
  created_at: time,
  created_by: { anyOf: [actorSchema, { type: 'null' }], description: 'Who invited the person.' },
  joined_at: { ...timeOrNull, description: 'Epoch milliseconds; null: not yet.' },
  disabled_at: timeOrNull,
  last_used_at: timeOrNull,
} as const

/** An account. */
export const apiAccountSchema = objectSchema(accountFields)

export async function accountView(account: Account, directory: Directory) {
  return {
    account_uuid: account.uuid,
    email: account.email,
    name: account.name,
    state: accountState(account),
    roles: await Promise.all(
      account.roles.map(async ({ role, organizationUuid }) => ({
        role,
        organization_code:
          organizationUuid === null ? null : await directory.organizationCode(organizationUuid),
      })),
    ),
    revision: account.revision,
    created_at: account.createdAt,
    created_by: account.createdBy,
    joined_at: account.joinedAt,
    disabled_at: account.disabledAt,
    last_used_at: account.lastUsedAt,
  }
}

/**
 * Finds an account by uuid or e-mail address. Throws RequestError `account_not_found`, also for one with roles beyond the
 * scope.
 */
export async function requireVisibleAccount(
  { accounts }: Pick<Stores, 'accounts'>,
  scope: OrganizationScope,
  wanted: string,
): Promise<Account> {
  const found = (await accounts.find(wanted.toLowerCase())) ?? (await accounts.byEmail(wanted))
  if (found !== undefined && reachesNoFurther(found, scope)) return found
  throw new RequestError('account_not_found', undefined, { hint: 'GET accounts lists the accounts' })
}

/** An account without roles is for administrators of all organizations. */
export const reachesNoFurther = ({ roles }: Account, scope: OrganizationScope): boolean =>
  scope === 'all' ||
  (roles.length > 0 &&
    roles.every(({ organizationUuid }) => organizationUuid !== null && isInScope(scope, organizationUuid)))
