import { ForbiddenError } from '../errors/errors.ts'

/** A person as the identity provider describes them. The issuer and the subject identify the person; nothing else does. */
export interface PersonIdentity {
  readonly issuer: string
  readonly subject: string
  /** Display name: the claim `name`, else `preferred_username`, `email` or the subject. */
  readonly name: string
  readonly email: string | null
  /** Only if the provider says so with the boolean true. */
  readonly isEmailVerified: boolean
  /** Domain of a Google Workspace account (`hd`); null: none. */
  readonly hostedDomain: string | null
  readonly groups: readonly string[]
}

/** The identity provider ended the session of a person, or all sessions (OpenID Connect Back-Channel Logout). */
export interface LogoutNotice {
  readonly issuer: string
  /** Null: only the session is named. */
  readonly subject: string | null
  /** Of the provider; null: all sessions of the person. */
  readonly sessionId: string | null
  /** Unique for each notice. */
  readonly tokenId: string
}

export type Claims = Readonly<Record<string, unknown>>

/** Longest issuer and subject (OpenID Connect Core, section 2: a subject has at most 255 ASCII characters). */
const maxIdLength = 255
const maxGroups = 10_000

/**
 * Reads an identity from validated claims.
 *
 * @param groupsClaim name of the claim with the groups; if no claim has this name, a path with dots, e.g. `realm_access.roles`
 * @throws ForbiddenError `groups_incomplete` if the provider left out groups, `identity_invalid` for claims of the wrong type
 */
export function readIdentity(claims: Claims, groupsClaim: string): PersonIdentity {
  const [issuer, subject] = [textIn(claims, 'iss'), textIn(claims, 'sub')]
  if (issuer === null || subject === null || subject.length > maxIdLength)
    throw invalid('it has no issuer, or no subject of at most 255 characters')
  const email = textIn(claims, 'email')
  return {
    issuer,
    subject,
    name: oneLine(textIn(claims, 'name') ?? textIn(claims, 'preferred_username') ?? email ?? subject),
    email,
    isEmailVerified: claims['email_verified'] === true,
    hostedDomain: textIn(claims, 'hd'),
    groups: readGroups(claims, groupsClaim),
  }
}

/** Whether the claims have the groups, or say that there are more than fit. Otherwise userinfo may have them. */
export const hasGroups = (claims: Claims, groupsClaim: string): boolean =>
  isOverage(claims, groupsClaim) || claimAt(claims, groupsClaim) !== undefined

function readGroups(claims: Claims, groupsClaim: string): readonly string[] {
  if (isOverage(claims, groupsClaim))
    throw new ForbiddenError(
      'groups_incomplete',
      `the identity provider left out the claim '${groupsClaim}', because the person is in too many groups`,
      {
        hint: 'let the provider send only the groups of Tocsin, or use app roles: set TOCSIN_OIDC_GROUPS_CLAIM to roles (docs/single-sign-on.md, Entra ID)',
      },
    )
  const given = claimAt(claims, groupsClaim) ?? []
  const groups: readonly unknown[] = Array.isArray(given) ? given : [given]
  if (groups.length > maxGroups || groups.some((group) => typeof group !== 'string'))
    throw invalid(`the claim '${groupsClaim}' is not a string or a list of at most ${maxGroups} strings`)
  return [...new Set(groups as readonly string[])]
}

/** Entra ID names a claim that did not fit into the token here (OpenID Connect Core, section 5.6.2). */
function isOverage(claims: Claims, groupsClaim: string): boolean {
  const elsewhere = claims['_claim_names']
  return typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, groupsClaim)
}

function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: unknown = claims
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Claims)[part]
  }
  return value
}

function textIn(claims: Claims, name: string): string | null {
  const value = claims[name]
  return typeof value === 'string' && value !== '' && value.length <= 2_000 ? value : null
}

/** At most 200 characters, without control and formatting characters. */
const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 200)

const invalid = (problem: string): ForbiddenError =>
  new ForbiddenError('identity_invalid', `the identity provider sent an unusable identity: ${problem}`, {
    hint: 'check the claims of the client at the identity provider (docs/single-sign-on.md)',
  })
