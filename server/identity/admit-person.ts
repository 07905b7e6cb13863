import type { Account, AccountRole } from '../../core/access/account.ts'
import type { Actor } from '../../core/domain/audit.ts'
import { ConflictError, ForbiddenError } from '../../core/errors/errors.ts'
import { rulesFor, type GroupRole } from '../../core/identity/admission.ts'
import type { PersonIdentity } from '../../core/identity/identity.ts'
import type { Log } from '../../core/ports/log.ts'
import type { Stores } from '../../core/ports/stores.ts'

export interface AdmissionOptions {
  readonly stores: Pick<Stores, 'accounts' | 'organizations' | 'singleSignOn'>
  /** Empty: administrators give people their roles. */
  readonly rules: readonly GroupRole[]
  readonly log: Log
}

/**
 * The account of a person whom the identity provider has confirmed, with the roles of their groups now. Creates it for a person with a
 * role, or lets an invited one belong to the person. Only issuer and subject identify a person: an address never opens an account that
 * somebody uses.
 *
 * @throws ForbiddenError `account_disabled`, `no_role`, `not_invited`, `email_missing`, `email_unverified`, `email_taken`
 */
export async function admitPerson(
  identity: PersonIdentity,
  options: AdmissionOptions,
  by: Actor,
): Promise<Account> {
  const { stores, rules } = options
  const known = await stores.singleSignOn.accountOf(identity)
  if (known !== undefined) requireEnabled(known)
  const roles = rules.length === 0 ? undefined : await rolesOf(identity, options)
  if (known !== undefined) return await withRoles(known, roles, options, by)
  try {
    return await firstSignIn(identity, roles, options, by)
  } catch (error) {
    // The same person may sign in for the first time in two browsers at once.
    const meanwhile =
      error instanceof ConflictError ? await stores.singleSignOn.accountOf(identity) : undefined
    if (meanwhile === undefined) throw error
    return await withRoles(meanwhile, roles, options, by)
  }
}

function requireEnabled({ email, disabledAt }: Account): void {
  if (disabledAt === null) return
  throw new ForbiddenError('account_disabled', `the account ${email} is disabled`, {
    hint: 'ask an administrator of Tocsin',
  })
}

/** @param roles undefined: the roles of the account stay */
async function withRoles(
  account: Account,
  roles: readonly AccountRole[] | undefined,
  { stores, log }: AdmissionOptions,
  by: Actor,
): Promise<Account> {
  if (roles === undefined) return account
  let current = account
  if (!isSame(roles, account.roles)) {
    try {
      current = await stores.accounts.change(account.uuid, { roles }, undefined, by)
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
      // The last administrator keeps the role, but is not let in by it.
      log.warn({ actor: account.email, code: error.code }, 'could not take away the roles of an account')
    }
  }
  if (roles.length === 0) throw noRole(account.email)
  return current
}

async function firstSignIn(
  identity: PersonIdentity,
  roles: readonly AccountRole[] | undefined,
  options: AdmissionOptions,
  by: Actor,
): Promise<Account> {
  const { accounts, singleSignOn } = options.stores
  const { email, name } = identity
  if (email === null)
    throw new ForbiddenError('email_missing', 'the identity provider sent no e-mail address', {
      hint: 'an administrator adds the scope email to TOCSIN_OIDC_SCOPES, or the claim at the provider',
    })
  const existing = await accounts.byEmail(email)
  if (existing !== undefined) {
    const invited = await linkInvited(existing, identity, options, by)
    return await withRoles(invited, roles, options, by)
  }
  if (roles === undefined)
    throw new ForbiddenError('not_invited', `there is no account for ${email}`, {
      hint: 'ask an administrator of Tocsin for an invitation to this address',
    })
  if (roles.length === 0) throw noRole(email)
  return await singleSignOn.createAccount(identity, { email, name, roles }, by)
}

async function linkInvited(
  account: Account,
  identity: PersonIdentity,
  { stores }: AdmissionOptions,
  by: Actor,
): Promise<Account> {
  if (!identity.isEmailVerified)
    throw new ForbiddenError('email_unverified', `the identity provider has not verified ${account.email}`, {
      hint: 'let it verify the address, and sign in again; an administrator checks the claim email_verified',
    })
  try {
    return await stores.singleSignOn.linkInvited(identity, account.uuid, by)
  } catch (error) {
    if (!(error instanceof ConflictError) || error.code !== 'account_not_invited') throw error
    throw new ForbiddenError(
      'email_taken',
      `the account ${account.email} belongs to another way to sign in`,
      {
        hint: 'sign in as before, or ask an administrator of Tocsin for an invitation to this account',
      },
    )
  }
}

async function rolesOf(
  { groups }: PersonIdentity,
  { stores, rules, log }: AdmissionOptions,
): Promise<readonly AccountRole[]> {
  const organizations = await stores.organizations.list('all')
  const uuids = new Map(organizations.map(({ code, uuid }) => [code.toLowerCase(), uuid]))
  const found = new Map<string, AccountRole>()
  for (const { role, organizationCodes } of rulesFor(rules, groups)) {
    for (const code of organizationCodes ?? [null]) {
      const organizationUuid = code === null ? null : uuids.get(code.toLowerCase())
      if (organizationUuid === undefined)
        log.warn({ code }, 'TOCSIN_OIDC_ROLES names an unknown organization')
      else found.set(keyOf({ role, organizationUuid }), { role, organizationUuid })
    }
  }
  return [...found.values()]
}

const keyOf = ({ role, organizationUuid }: AccountRole): string => `${role} ${organizationUuid ?? ''}`

const isSame = (some: readonly AccountRole[], others: readonly AccountRole[]): boolean =>
  some.length === others.length && some.every((one) => others.some((other) => keyOf(one) === keyOf(other)))

const noRole = (email: string): ForbiddenError =>
  new ForbiddenError('no_role', `${email} is in no group that has access to Tocsin`, {
    hint: 'ask an administrator of the identity provider to add you to a group in TOCSIN_OIDC_ROLES',
  })
