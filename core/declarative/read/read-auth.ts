import { integer, map, object, string, type Type } from '../../expression/index.ts'
import { quote } from '../../playbook/language/problem.ts'
import {
  readChoice,
  readDuration,
  readFields,
  readText,
  type Fields,
} from '../../playbook/template/fields.ts'
import type { Entry, Node } from '../../playbook/yaml/document.ts'
import {
  authKinds,
  clientPlaces,
  grantKeys,
  grants,
  hmacAlgorithms,
  hmacEncodings,
  jwtAlgorithms,
} from '../language/auth-keys.ts'
import type { Template } from '../../playbook/language/playbook.ts'
import type { DeclaredAuth, Entries } from '../language/declared.ts'
import { pluginGrammar } from '../language/plugin-keys.ts'
import { onlyOneOf } from './read-request.ts'
import { readEntries, readShownText, readTemplate, type Names, type PluginReading } from './reading.ts'

/** Reads `auth`; undefined if a part of it is missing, which has been reported. */
export function readAuth(
  reading: PluginReading,
  names: Names,
  entry: Entry | undefined,
): DeclaredAuth | undefined {
  const fields = entry && readFields(reading.problems, entry.value, pluginGrammar.auth)
  if (entry === undefined || fields === undefined) return undefined
  const kind = onlyOneOf(reading, fields, authKinds, entry.value, '`auth` needs one of')
  if (kind === undefined) return undefined
  const part = fields.get(kind)!
  switch (kind) {
    case 'header':
    case 'query':
      return readNamed(reading, names, fields, kind, part)
    case 'bearer':
      return { kind, token: readTemplate(reading, names, part.value).template }
    case 'basic':
      return readBasic(reading, names, part.value)
    case 'oauth2':
      return readOAuth2(reading, names, part.value)
    case 'aws':
      return readAws(reading, names, part.value)
    case 'hmac':
      return readHmac(reading, names, part.value)
  }
}

function readNamed(
  reading: PluginReading,
  names: Names,
  fields: Fields,
  kind: 'header' | 'query',
  entry: Entry,
): DeclaredAuth | undefined {
  const name = readText(reading.problems, entry)
  const value = fields.get('value')
  if (value === undefined) {
    const hint = 'write value: "${{ settings.api_key }}"'
    reading.problems.add('E105', `\`auth\` with \`${kind}\` needs \`value\``, entry.key, hint)
    return undefined
  }
  if (name !== undefined && kind === 'header' && !/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(name))
    reading.problems.add('E107', `${quote(name)} is not the name of a header`, entry.value)
  const { template } = readTemplate(reading, names, value.value)
  return name === undefined ? undefined : { kind, name, value: template }
}

function readBasic(reading: PluginReading, names: Names, node: Node): DeclaredAuth | undefined {
  const fields = readFields(reading.problems, node, pluginGrammar.basic)
  const [username, password] = readParts(reading, names, fields, ['username', 'password'])
  return username && password && { kind: 'basic', username, password }
}

/** The templates of these keys; undefined for those that are missing. */
const readParts = (
  reading: PluginReading,
  names: Names,
  fields: Fields | undefined,
  keys: readonly string[],
) =>
  keys.map((key) => {
    const entry = fields?.get(key)
    return entry && readTemplate(reading, names, entry.value).template
  })

function readOAuth2(reading: PluginReading, names: Names, node: Node): DeclaredAuth | undefined {
  const { problems } = reading
  const fields = readFields(problems, node, pluginGrammar.oauth2)
  const grantEntry = fields?.get('grant')
  const tokenEntry = fields?.get('token')
  if (fields === undefined || grantEntry === undefined || tokenEntry === undefined) return undefined
  const grant = readChoice(problems, grantEntry, grants)
  const token = readEndpoint(reading, names, tokenEntry)
  if (grant === undefined || token === undefined) return undefined
  const other = grants.find((each) => each !== grant)!
  for (const key of grantKeys[other]) {
    const stray = fields.get(key)
    if (stray) problems.add('E112', `\`${key}\` belongs to \`grant: ${other}\``, stray.key, 'leave it out')
  }
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

/** Reads the address of the token endpoint. */
function readEndpoint(reading: PluginReading, names: Names, entry: Entry): Template | undefined {
  const template = readShownText(reading, names, entry)
  const [first] =
    template?.kind === 'text' ? template.parts : [template?.kind === 'literal' && template.value]
  if (typeof first !== 'string' || /^(?:\/|https:\/\/[^/?#\s])/.test(first)) return template
  const hint = 'write token: /oauth/token, or token: https://login.example.com/oauth/token'
  reading.problems.add('E802', '`token` must begin with / or https://', entry.value, hint)
  return undefined
}

/** Reports an endpoint at another origin than the literal ones that requests may go to. */
export function checkTokenOrigin(
  { problems }: PluginReading,
  entry: Entry,
  auth: DeclaredAuth | undefined,
  allowed: readonly (Template | undefined)[],
): void {
  if (auth?.kind !== 'client_credentials' && auth?.kind !== 'jwt_bearer') return
  const origin = originOf(auth.token)
  const origins = allowed.map((template) => template && originOf(template))
  if (origin === undefined || origins.includes(undefined) || origins.includes(origin)) return
  const hint = `write other_origins: ['${origin}']`
  problems.add('E802', `the origin of the token endpoint, ${quote(origin)}, is not listed`, entry.value, hint)
}

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

function readAws(reading: PluginReading, names: Names, node: Node): DeclaredAuth | undefined {
  const fields = readFields(reading.problems, node, pluginGrammar.aws)
  const keys = ['access_key_id', 'secret_access_key', 'region', 'service', 'session_token']
  const [accessKeyId, secretAccessKey, region, service, sessionToken] = readParts(
    reading,
    names,
    fields,
    keys,
  )
  if (!accessKeyId || !secretAccessKey || !region || !service) return undefined
  return { kind: 'aws', accessKeyId, secretAccessKey, region, service, sessionToken }
}

const requestType: Type = object({
  method: string,
  url: string,
  path: string,
  query: string,
  headers: map(string),
  body: string,
})

function readHmac(reading: PluginReading, names: Names, node: Node): DeclaredAuth | undefined {
  const { problems } = reading
  const fields = readFields(problems, node, pluginGrammar.hmac)
  const signed = { ...names, request: requestType, now_ms: integer }
  const [key, text] = readParts(reading, signed, fields, ['key', 'text'])
  const added = { ...signed, signature: string }
  const [headers, query] = [fields?.get('headers'), fields?.get('query')]
  if (fields !== undefined && headers === undefined && query === undefined)
    problems.add('E105', '`hmac` needs `headers` or `query`, which contain the signature', node)
  const algorithmEntry = fields?.get('algorithm')
  const encodingEntry = fields?.get('encoding')
  const algorithm = (algorithmEntry && readChoice(problems, algorithmEntry, hmacAlgorithms)) ?? 'sha256'
  const encoding = (encodingEntry && readChoice(problems, encodingEntry, hmacEncodings)) ?? 'hex'
  return (
    key &&
    text && {
      kind: 'hmac',
      algorithm,
      encoding,
      key,
      text,
      headers: readEntries(reading, added, headers),
      query: readEntries(reading, added, query),
    }
  )
}
