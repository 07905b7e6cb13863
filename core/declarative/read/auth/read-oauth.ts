import { quote } from '../../../playbook/language/problem.ts'
import type { Template } from '../../../playbook/language/playbook.ts'
import { readChoice, readDuration, readFields, type Fields } from '../../../playbook/template/fields.ts'
import type { Entry, Node } from '../../../playbook/yaml/document.ts'
import { ownParameters, ownTokenFields } from '../../../skill/sign-in/sign-in-target.ts'
import { clientPlaces, grantKeys, grants, jwtAlgorithms, refreshTokenUses } from '../../language/auth-keys.ts'
import type { DeclaredAuth } from '../../language/declared-auth.ts'
import type { Entries } from '../../language/declared.ts'
import { pluginGrammar } from '../../language/plugin-keys.ts'
import {
  readEntries,
  readShownText,
  readTemplate,
  refuseSecrets,
  type Names,
  type PluginReading,
} from '../reading.ts'

/** The templates of these keys; undefined for those that are missing. */
export const readParts = (
  reading: PluginReading,
  names: Names,
  fields: Fields | undefined,
  keys: readonly string[],
) =>
  keys.map((key) => {
    const entry = fields?.get(key)
    return entry && readTemplate(reading, names, entry.value).template
  })

/** Reads `oauth2`; undefined if a part of it is missing, which has been reported. */
export function readOAuth2(reading: PluginReading, names: Names, node: Node): DeclaredAuth | undefined {
  const { problems } = reading
  const fields = readFields(problems, node, pluginGrammar.oauth2)
  const grantEntry = fields?.get('grant')
  const tokenEntry = fields?.get('token')
  if (fields === undefined || grantEntry === undefined || tokenEntry === undefined) return undefined
  const grant = readChoice(problems, grantEntry, grants)
  const token = readEndpoint(reading, names, tokenEntry)
  if (grant === undefined || token === undefined) return undefined
  refuseOtherKeys(reading, fields, grant)
  if (grant === 'authorization_code') return readSignIn(reading, names, fields, token)
  const extra = (key: string): Entries => {
    const entry = fields.get(key)
    return entry === undefined ? [] : [[key, readTemplate(reading, names, entry.value).template]]
  }
  const form: Entries = [
    ...extra('scope'),
    ...extra('audience'),
    ...readEntries(reading, names, fields.get('fields')),
  ]
  const wholes = { fields, token, form }
  return grant === 'jwt_bearer' ? readJwt(reading, names, wholes) : readClient(reading, names, wholes)
}

/** Reports keys that belong to other grants. */
function refuseOtherKeys({ problems }: PluginReading, fields: Fields, grant: (typeof grants)[number]): void {
  const has = (each: (typeof grants)[number], key: string) =>
    (grantKeys[each] as readonly string[]).includes(key)
  for (const key of new Set(Object.values(grantKeys).flat())) {
    const stray = fields.get(key)
    if (stray === undefined || has(grant, key)) continue
    const owners = grants.filter((each) => has(each, key)).map((each) => `\`grant: ${each}\``)
    problems.add('E112', `\`${key}\` belongs to ${owners.join(' or ')}`, stray.key, 'leave it out')
  }
}

/** Reads the address of an endpoint. */
function readEndpoint(reading: PluginReading, names: Names, entry: Entry): Template | undefined {
  const template = readShownText(reading, names, entry)
  const [first] =
    template?.kind === 'text' ? template.parts : [template?.kind === 'literal' && template.value]
  if (typeof first !== 'string' || /^(?:\/|https:\/\/[^/?#\s])/.test(first)) return template
  const { name } = entry
  const hint = `write ${name}: /oauth/${name}, or ${name}: https://login.example.com/oauth/${name}`
  reading.problems.add('E802', `\`${name}\` must begin with / or https://`, entry.value, hint)
  return undefined
}

/** Reports an endpoint whose origin is not one of the literal origins that the plugin lists. */
export function checkTokenOrigin(
  { problems }: PluginReading,
  entry: Entry,
  auth: DeclaredAuth | undefined,
  base: Template | undefined,
  others: readonly Template[],
): void {
  if (auth === undefined || !isGranted(auth)) return
  // A base URL with settings matches no literal origin, but another listed origin with settings may
  // match any.
  const origins = [...(base ? [originOf(base) ?? ''] : []), ...others.map(originOf)]
  const report = (what: string, endpoint: Template): void => {
    const origin = originOf(endpoint)
    if (origin === undefined || origins.includes(undefined) || origins.includes(origin)) return
    const hint = `make it a field, such as login_url: { address: public, default: ${origin} }, and list "\${{ settings.login_url }}" in other_origins`
    problems.add(
      'E802',
      `the origin of the ${what} endpoint, ${quote(origin)}, is not listed`,
      entry.value,
      hint,
    )
  }
  report('token', auth.token)
  if (auth.kind === 'authorization_code' && auth.revoke !== undefined) report('revocation', auth.revoke)
}

type Granted = Extract<DeclaredAuth, { readonly kind: (typeof grants)[number] }>

const isGranted = (auth: DeclaredAuth): auth is Granted => grants.some((grant) => grant === auth.kind)

/** The origin that an address begins with, unless it reads settings. */
function originOf(template: Template): string | undefined {
  const text = template.kind === 'text' ? template.parts[0] : template.kind === 'literal' && template.value
  if (typeof text !== 'string') return undefined
  const end = template.kind === 'text' ? '(?=/)' : '(?=/|$)'
  const [origin] = new RegExp(`^https://[^/?#\\s]+${end}`).exec(text) ?? []
  return origin?.toLowerCase()
}

interface Wholes {
  readonly fields: Fields
  readonly token: Template
  readonly form: Entries
}

function needs({ problems }: PluginReading, fields: Fields, keys: readonly string[]): boolean {
  const missing = keys.filter((key) => !fields.has(key))
  for (const key of missing) problems.add('E105', `this grant needs \`${key}\``, fields.get('grant')!.key)
  return missing.length === 0
}

function readClient(
  reading: PluginReading,
  names: Names,
  { fields, token, form }: Wholes,
): DeclaredAuth | undefined {
  if (!needs(reading, fields, ['client_id', 'client_secret'])) return undefined
  const [id, secret] = readParts(reading, names, fields, ['client_id', 'client_secret'])
  const sendEntry = fields.get('send')
  const send = (sendEntry && readChoice(reading.problems, sendEntry, clientPlaces)) ?? 'form'
  return { kind: 'client_credentials', token, clientId: id!, clientSecret: secret!, send, form }
}

function readSignIn(
  reading: PluginReading,
  names: Names,
  fields: Fields,
  token: Template,
): DeclaredAuth | undefined {
  const { problems } = reading
  const authorizeEntry = fields.get('authorize')
  const revokeEntry = fields.get('revoke')
  const authorize = authorizeEntry && readEndpoint(reading, names, authorizeEntry)
  if (!needs(reading, fields, ['authorize', 'client_id']) || authorize === undefined) return undefined
  refuseOwn(reading, fields.get('parameters'), ownParameters)
  refuseOwn(reading, fields.get('fields'), ownTokenFields)
  const [clientId, clientSecret] = readParts(reading, names, fields, ['client_id', 'client_secret'])
  const sendEntry = fields.get('send')
  const usesEntry = fields.get('refresh_token')
  return {
    kind: 'authorization_code',
    authorize,
    token,
    revoke: revokeEntry && readEndpoint(reading, names, revokeEntry),
    clientId: clientId!,
    clientSecret,
    send: (sendEntry && readChoice(problems, sendEntry, clientPlaces)) ?? 'form',
    scope: readShownText(reading, names, fields.get('scope')),
    parameters: readShownEntries(reading, names, fields.get('parameters')),
    form: readEntries(reading, names, fields.get('fields')),
    issuer: readShownText(reading, names, fields.get('issuer')),
    refreshToken: (usesEntry && readChoice(problems, usesEntry, refreshTokenUses)) ?? 'single_use',
  }
}

/** Reports names that Tocsin sets itself. */
function refuseOwn({ problems }: PluginReading, entry: Entry | undefined, own: readonly string[]): void {
  if (entry?.value.kind !== 'map') return
  for (const { name, key } of entry.value.entries) {
    if (!own.includes(name)) continue
    const hint = name === 'scope' ? 'write it as `scope` beside `grant`' : 'leave it out'
    problems.add('E107', `Tocsin sets ${quote(name)} itself`, key, hint)
  }
}

/** The parameters of a page that a browser opens: they must not contain a secret. */
function readShownEntries(reading: PluginReading, names: Names, entry: Entry | undefined): Entries {
  if (entry !== undefined)
    refuseSecrets(reading, readTemplate(reading, names, entry.value), `\`${entry.name}\``)
  return readEntries(reading, names, entry)
}

const defaultLifetimeMs = 300_000

function readJwt(
  reading: PluginReading,
  names: Names,
  { fields, token, form }: Wholes,
): DeclaredAuth | undefined {
  if (!needs(reading, fields, ['key', 'claims'])) return undefined
  const [key, keyId] = readParts(reading, names, fields, ['key', 'key_id'])
  const algorithmEntry = fields.get('algorithm')
  const algorithm = (algorithmEntry && readChoice(reading.problems, algorithmEntry, jwtAlgorithms)) ?? 'RS256'
  const lifetimeEntry = fields.get('lifetime')
  const lifetimeMs = lifetimeEntry && readDuration(reading.problems, lifetimeEntry)
  const claims = readEntries(reading, names, fields.get('claims'))
  return {
    kind: 'jwt_bearer',
    token,
    algorithm,
    key: key!,
    keyId,
    claims,
    lifetimeMs: lifetimeMs ?? defaultLifetimeMs,
    form,
  }
}
