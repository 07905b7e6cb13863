import { ForbiddenError } from '../errors/errors.ts'
import type { PersonIdentity } from './identity.ts'

/** The issuer of Google, whose accounts belong to a company only if they have a hosted domain. */
export const googleIssuer = 'https://accounts.google.com'

/**
 * Checks the domain of a person's address. For Google it is the domain of the Workspace account, because anybody can create a Google
 * account with an address of another domain.
 *
 * @param domains in lower case; none: every domain
 * @throws ForbiddenError `email_domain_refused`
 */
export function requireAllowedDomain(identity: PersonIdentity, domains: readonly string[]): void {
  if (domains.length === 0) return
  const { issuer, email, isEmailVerified, hostedDomain } = identity
  const verified = isEmailVerified ? /.@([^@]+)$/.exec(email ?? '')?.[1] : undefined
  const domain = (issuer === googleIssuer ? hostedDomain : verified)?.toLowerCase()
  if (domain !== undefined && domains.includes(domain)) return
  throw new ForbiddenError(
    'email_domain_refused',
    'your e-mail address is not verified, or its domain is not allowed',
    {
      hint: `sign in with a verified address of ${domains.join(' or ')}, or ask an administrator (TOCSIN_OIDC_EMAIL_DOMAINS)`,
    },
  )
}

/** A rule of the mapping from groups to roles. */
export interface GroupRole {
  /** Exact name or id of the group; `*`: everybody. */
  readonly group: string
  readonly role: string
  /** Codes of organizations; undefined: all organizations. */
  readonly organizationCodes: readonly string[] | undefined
}

/** The rules that apply to a person in these groups. Names are compared exactly. */
export const rulesFor = (rules: readonly GroupRole[], groups: readonly string[]): readonly GroupRole[] =>
  rules.filter(({ group }) => group === '*' || groups.includes(group))
