import type { Account, AccountRole } from '../../../../../core/access/account.ts'
import { peopleRoles, permissionsOf, type CustomRole } from '../../../../../core/access/permissions.ts'
import { ValidationError } from '../../../../../core/errors/errors.ts'
import { requireWholeScope } from '../../../caller/authenticate.ts'
import { requireMayGive, type Caller } from '../../../caller/caller.ts'
import type { Directory } from '../../../caller/directory.ts'
import type { Services } from '../../../routing/route.ts'

export const rolesOfBody = {
  type: 'array',
  maxItems: 100,
  description: 'The roles, each in one organization or in all.',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['role'],
    properties: {
      role: {
        type: 'string',
        maxLength: 64,
        description: 'A built-in role except `intake`, or a custom one.',
      },
      organization_code: {
        type: ['string', 'null'],
        description: 'null or absent: all organizations, including later ones.',
      },
    },
  },
} as const

interface GivenRole {
  readonly role: string
  readonly organization_code?: string | null | undefined
}

/**
 * Throws RequestError `unknown_organization`, `key_is_scoped`, `permission_exceeded`, ValidationError `value_invalid` for an unknown or
 * repeated role.
 */
export async function readGivenRoles(
  given: readonly GivenRole[],
  caller: Caller,
  { directory, stores }: Services,
) {
  const custom = await stores.roles.list()
  const found = await Promise.all(
    given.map(async ({ role, organization_code: code }, at): Promise<AccountRole> => {
      const organizationUuid = await organizationOf(code ?? null, caller, directory, at)
      requireKnownRole(role, organizationUuid, custom, at)
      requireMayGive(caller, permissionsOf(role, custom, organizationUuid), organizationUuid)
      return { role, organizationUuid }
    }),
  )
  const names = found.map(({ role, organizationUuid }) => `${role} ${organizationUuid ?? ''}`)
  const repeated = names.findIndex((each, at) => names.indexOf(each) < at)
  if (repeated < 0) return found
  const message = 'repeats an earlier role'
  throw new ValidationError('value_invalid', `roles/${repeated} ${message}`, [
    { pointer: `/roles/${repeated}`, message },
  ])
}

async function organizationOf(code: string | null, caller: Caller, directory: Directory, at: number) {
  if (code !== null)
    return (await directory.organization(caller.scope, code, `/roles/${at}/organization_code`)).uuid
  requireWholeScope(caller)
  return null
}

/** A custom role of one organization is for that one only; the error does not tell the names of others. */
function requireKnownRole(
  role: string,
  organizationUuid: string | null,
  custom: readonly CustomRole[],
  at: number,
): void {
  if (peopleRoles.some((known) => known === role)) return
  const here = custom
    .filter(({ organizationUuid: own }) => own === null || own === organizationUuid)
    .map(({ name }) => name)
  if (here.includes(role)) return
  const message = `must be one of ${[...peopleRoles, ...here].join(', ')}`
  throw new ValidationError('value_invalid', `roles/${at}/role ${message}`, [
    { pointer: `/roles/${at}/role`, message },
  ])
}

/**
 * Nobody changes an account that may do more than they: a link for a new password would give them its permissions. Throws RequestError
 * `permission_exceeded`.
 */
export async function requireMayManage(
  { roles }: Account,
  caller: Caller,
  { stores }: Services,
): Promise<void> {
  const custom = await stores.roles.list()
  for (const { role, organizationUuid } of roles)
    requireMayGive(caller, permissionsOf(role, custom, organizationUuid), organizationUuid)
}
