import { integer, map, object, string, type Type } from '../../../expression/index.ts'
import { readChoice, readFields, readText, type Fields } from '../../../playbook/template/fields.ts'
import type { Entry, Node } from '../../../playbook/yaml/document.ts'
import { authKinds, hmacAlgorithms, hmacEncodings } from '../../language/auth-keys.ts'
import type { DeclaredAuth } from '../../language/declared-auth.ts'
import { pluginGrammar } from '../../language/plugin-keys.ts'
import { onlyOneOf } from '../read-request.ts'
import {
  checkHeader,
  readEntries,
  readHeaders,
  readTemplate,
  type Names,
  type PluginReading,
} from '../reading.ts'
import { readOAuth2, readParts } from './read-oauth.ts'

/**
 * Reads `auth`; undefined if a part of it is missing, which has been reported.
 *
 * @param of the credentials of the connection, for those of a host
 */
export function readAuth(
  reading: PluginReading,
  names: Names,
  entry: Entry | undefined,
  of?: DeclaredAuth,
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
      return readAws(reading, names, part, of)
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
  if (name !== undefined && kind === 'header') checkHeader(reading, name, entry.value)
  const { template } = readTemplate(reading, names, value.value)
  return name === undefined ? undefined : { kind, name, value: template }
}

function readBasic(reading: PluginReading, names: Names, node: Node): DeclaredAuth | undefined {
  const fields = readFields(reading.problems, node, pluginGrammar.basic)
  const [username, password] = readParts(reading, names, fields, ['username', 'password'])
  return username && password && { kind: 'basic', username, password }
}

function readAws(
  reading: PluginReading,
  names: Names,
  { key, value }: Entry,
  of: DeclaredAuth | undefined,
): DeclaredAuth | undefined {
  const fields = readFields(reading.problems, value, pluginGrammar.aws)
  const keys = ['access_key_id', 'secret_access_key', 'region', 'service', 'session_token']
  const [accessKeyId, secretAccessKey, region, service, sessionToken] = readParts(
    reading,
    names,
    fields,
    keys,
  )
  const inherited = of?.kind === 'aws' ? of : undefined
  const given = { accessKeyId, secretAccessKey, region, service, sessionToken }
  const own = Object.fromEntries(Object.entries(given).filter(([, part]) => part !== undefined))
  const whole = { ...inherited, ...own, kind: 'aws' } as Extract<DeclaredAuth, { kind: 'aws' }>
  if (fields === undefined || service === undefined) return undefined
  const missing = keys
    .slice(0, 3)
    .filter((_, at) => ![whole.accessKeyId, whole.secretAccessKey, whole.region][at])
  for (const each of missing) reading.problems.add('E105', `\`aws\` needs \`${each}\``, key)
  return missing.length > 0 ? undefined : whole
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
      headers: readHeaders(reading, added, headers),
      query: readEntries(reading, added, query),
    }
  )
}
