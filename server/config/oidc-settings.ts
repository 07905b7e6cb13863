import { codePattern } from '../../core/domain/ids.ts'
import type { PointedMessage } from '../../core/errors/errors.ts'
import { googleIssuer, type GroupRole } from '../../core/identity/admission.ts'
import { Secret } from '../../core/plugin/index.ts'
import { integerBetween, items, oneOf, Unusable } from './config-values.ts'
import { isLoopback } from './loopback.ts'
import { isOperatorReference } from './operator-reference.ts'

/** `break_glass`: besides single sign-on, only API keys of administrators of all organizations can sign in to the page. */
export const localSignIns = ['on', 'break_glass'] as const
export type LocalSignIn = (typeof localSignIns)[number]
export const defaultLocalSignIn: LocalSignIn = 'on'

/** How people sign in with OpenID Connect. */
export interface OidcSettings {
  /** Exactly as the provider names itself. */
  readonly issuer: string
  readonly clientId: string
  /** The secret, or a reference to it; undefined: a public client. */
  readonly clientSecret: Secret | undefined
  readonly clientAuth: (typeof clientAuths)[number]
  /** Separated by spaces. */
  readonly scopes: string
  readonly groupsClaim: string
  /** Empty: administrators give people their roles. */
  readonly roles: readonly GroupRole[]
  /** In lower case; empty: every domain. */
  readonly emailDomains: readonly string[]
  /** Text of the button on the sign-in page. */
  readonly label: string
  /** How long a session is used before the provider is asked again. */
  readonly recheckMs: number
  readonly localSignIn: LocalSignIn
}

const clientAuths = ['client_secret_basic', 'client_secret_post'] as const

/** Issuers of Entra ID that stand for every tenant: anybody could sign in. */
const manyTenants = /^https:\/\/login\.microsoftonline\.(com|us|cn)\/(common|organizations|consumers)(\/|$)/

function issuer(text: string): string {
  const url = URL.parse(text)
  const isBare =
    url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (!isBare || !isSafe)
    throw new Unusable(
      'must be the https address with which the provider names itself, without query and credentials, e.g. https://login.example.com/realms/soc; http is possible for this machine only',
    )
  if (url.pathname.includes('/.well-known/'))
    throw new Unusable(
      'is the address of a document; use the issuer in it, which is the part before /.well-known/',
    )
  if (manyTenants.test(text))
    throw new Unusable(
      'stands for every tenant of Entra ID; use the id of your tenant, e.g. https://login.microsoftonline.com/<tenant id>/v2.0',
    )
  return text
}

const visible = /^[\x21-\x7e]+$/

function clientId(text: string): string {
  if (visible.test(text) && text.length <= 500) return text
  throw new Unusable('must be the client id without spaces, at most 500 characters')
}

function clientSecret(text: string): string {
  if (isOperatorReference(text) || (/^[\x20-\x7e]+$/.test(text) && text.length <= 2_000)) return text
  throw new Unusable('must be the client secret in ASCII, or a reference: file:/path or vault:path#key')
}

function scopes(text: string): string {
  const all = text.split(/\s+/)
  if (all.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(scope)) && all.includes('openid'))
    return all.join(' ')
  throw new Unusable(
    'must be scopes separated by spaces, among them openid, e.g. openid profile email offline_access',
  )
}

function groupsClaim(text: string): string {
  if (visible.test(text) && text.length <= 200) return text
  throw new Unusable('must be the name of a claim, or a path with dots, e.g. groups or realm_access.roles')
}

const rolesExample = 'soc-leads=admin; soc-analysts=analyst@acme,globex; *=reader'

/** `group=role` or `group=role@organization,organization`, separated by `;`. A group may contain `=`. */
function groupRoles(text: string): readonly GroupRole[] {
  const rules = text.split(';').flatMap((part) => (part.trim() === '' ? [] : [groupRole(part.trim())]))
  if (rules.length > 0) return rules
  throw new Unusable(`has no rule; use group=role, e.g. ${rolesExample}`)
}

function groupRole(part: string): GroupRole {
  const at = part.lastIndexOf('=')
  const group = part.slice(0, at).trim()
  const [, role, , codes] = /^([A-Za-z0-9_]{1,32})(@(.+))?$/.exec(part.slice(at + 1).trim()) ?? []
  const organizationCodes = codes === undefined ? undefined : items(codes)
  const isUsable = organizationCodes?.every((code) => new RegExp(codePattern).test(code)) ?? true
  if (at > 0 && group !== '' && role !== undefined && isUsable && organizationCodes?.length !== 0)
    return { group, role, organizationCodes }
  throw new Unusable(
    `has '${part.slice(0, 80)}'; use group=role, or group=role@organization,organization for some organizations, separated by ';', e.g. ${rolesExample}`,
  )
}

function emailDomains(text: string): readonly string[] {
  return items(text.toLowerCase()).map((domain) => {
    if (/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/.test(domain)) return domain
    throw new Unusable(`has '${domain.slice(0, 80)}'; use domains separated by ',', e.g. example.com`)
  })
}

function label(text: string): string {
  if (/^[^\p{Cc}\p{Cf}]{1,60}$/u.test(text)) return text
  throw new Unusable('must be one line of at most 60 characters, e.g. Sign in with Okta')
}

/** The variables of these settings, with their readers. */
export const oidcVariables = {
  TOCSIN_OIDC_ISSUER: issuer,
  TOCSIN_OIDC_CLIENT_ID: clientId,
  TOCSIN_OIDC_CLIENT_SECRET: clientSecret,
  TOCSIN_OIDC_CLIENT_AUTH: oneOf(clientAuths),
  TOCSIN_OIDC_SCOPES: scopes,
  TOCSIN_OIDC_GROUPS_CLAIM: groupsClaim,
  TOCSIN_OIDC_ROLES: groupRoles,
  TOCSIN_OIDC_EMAIL_DOMAINS: emailDomains,
  TOCSIN_OIDC_LABEL: label,
  TOCSIN_OIDC_RECHECK_MINUTES: integerBetween(5, 1_440),
  TOCSIN_LOCAL_SIGN_IN: oneOf(localSignIns),
} as const

type Variables = typeof oidcVariables
type ReadVariable = <Name extends keyof Variables>(name: Name) => ReturnType<Variables[Name]> | undefined

const defaultRecheckMinutes = 60

/**
 * Undefined: without `TOCSIN_OIDC_ISSUER`.
 *
 * @param problems receives the problems of combinations of variables
 */
export function readOidcSettings(
  value: ReadVariable,
  publicUrl: string | undefined,
  problems: PointedMessage[],
): OidcSettings | undefined {
  // Each variable is read, so that each is checked.
  const secret = value('TOCSIN_OIDC_CLIENT_SECRET')
  const id = value('TOCSIN_OIDC_CLIENT_ID')
  const settings = {
    clientSecret: secret === undefined ? undefined : new Secret(secret),
    clientAuth: value('TOCSIN_OIDC_CLIENT_AUTH') ?? 'client_secret_basic',
    scopes: value('TOCSIN_OIDC_SCOPES') ?? 'openid profile email',
    groupsClaim: value('TOCSIN_OIDC_GROUPS_CLAIM') ?? 'groups',
    roles: value('TOCSIN_OIDC_ROLES') ?? [],
    emailDomains: value('TOCSIN_OIDC_EMAIL_DOMAINS') ?? [],
    label: value('TOCSIN_OIDC_LABEL') ?? 'Single sign-on',
    localSignIn: value('TOCSIN_LOCAL_SIGN_IN') ?? defaultLocalSignIn,
    recheckMs: (value('TOCSIN_OIDC_RECHECK_MINUTES') ?? defaultRecheckMinutes) * 60_000,
  }
  const from = value('TOCSIN_OIDC_ISSUER')
  if (from === undefined && settings.localSignIn === 'break_glass')
    problems.push({
      pointer: '/TOCSIN_LOCAL_SIGN_IN',
      message: 'is break_glass; that needs TOCSIN_OIDC_ISSUER',
    })
  if (from === undefined) return undefined
  const refuse = (name: string, message: string) => void problems.push({ pointer: `/${name}`, message })
  if (id === undefined) refuse('TOCSIN_OIDC_CLIENT_ID', 'must be set with TOCSIN_OIDC_ISSUER')
  if (publicUrl === undefined)
    refuse(
      'TOCSIN_PUBLIC_URL',
      'must be set with TOCSIN_OIDC_ISSUER: the provider sends the browser back to it',
    )
  else if (!publicUrl.startsWith('https:') && !isLoopback(new URL(publicUrl).hostname))
    refuse('TOCSIN_PUBLIC_URL', 'must be an https address with TOCSIN_OIDC_ISSUER')
  if (from === googleIssuer && settings.emailDomains.length === 0)
    refuse('TOCSIN_OIDC_EMAIL_DOMAINS', 'must be set for Google: everybody can have a Google account')
  return { issuer: from, clientId: id ?? '', ...settings }
}
