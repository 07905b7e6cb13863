import { addressSchema, type JsonSchema, type RateLimit } from '../../plugin/index.ts'
import type { Template } from '../../playbook/language/playbook.ts'
import { quote } from '../../playbook/language/problem.ts'
import { describe, readChoice, readFields, readText, type Fields } from '../../playbook/template/fields.ts'
import type { Entry, Node } from '../../playbook/yaml/document.ts'
import type { DeclaredAuth, DeclaredConnection, Entries } from '../language/declared.ts'
import { authKinds, grants } from '../language/auth-keys.ts'
import { pluginGrammar, ratePattern } from '../language/plugin-keys.ts'
import {
  connectionNames,
  readEntries,
  readShownText,
  readTemplate,
  refuseSecrets,
  type Names,
  type PluginReading,
} from './reading.ts'
import type { Type } from '../../expression/index.ts'
import { readFieldMap } from './read-fields.ts'
import { onlyOneOf, readCheck, readErrors, literalText } from './read-request.ts'

/** A connection with the type of its settings, which the expressions of skills read. */
export interface ReadConnection {
  readonly connection: DeclaredConnection | undefined
  readonly settings: Type
}

/** Reads `connection`. */
export function readConnection(
  reading: PluginReading,
  { value }: Entry,
  plugin: { readonly title: string; readonly description: string },
): ReadConnection | undefined {
  const fields = readFields(reading.problems, value, pluginGrammar.connection)
  if (fields === undefined) return undefined
  const { schema, type } = readFieldMap(reading, fields.get('fields'), 'connection', {
    base_url: { schema: baseUrlField(fields), isRequired: false },
  })
  const names = connectionNames(type)
  const baseUrl = readAddress(reading, names, fields.get('base_url'))
  const checkEntry = fields.get('check')
  const check = checkEntry && readCheck(reading, names, checkEntry)
  const others = {
    otherOrigins: readOrigins(reading, names, fields.get('other_origins')),
    headers: readEntries(reading, names, fields.get('headers')),
    auth: readAuth(reading, names, fields.get('auth')),
    rate: readRates(reading, fields.get('rate')),
    errors: readErrors(reading, fields.get('errors')),
  }
  const texts = {
    title: literalText(reading, fields, 'title') ?? plugin.title,
    description: literalText(reading, fields, 'description') ?? plugin.description,
    docs: readDocs(reading, fields),
    setup: readTexts(reading, fields.get('setup')),
  }
  const isWhole = baseUrl !== undefined && check !== undefined
  const connection = isWhole ? { ...texts, settings: schema, baseUrl, check, ...others } : undefined
  return { connection, settings: type }
}

/** The field by which an operator can replace the address, for a proxy or a sandbox. */
function baseUrlField(fields: Fields): JsonSchema {
  const { value } = fields.get('base_url') ?? {}
  const text = value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : ''
  return {
    ...addressSchema,
    title: 'Base URL',
    description: 'Another address of the API, such as a proxy. Empty: the usual one.',
    ...(/^https:\/\/[^$]*$/.test(text) && { examples: [text] }),
  }
}

function readAddress(reading: PluginReading, names: Names, entry: Entry | undefined): Template | undefined {
  const template = readShownText(reading, names, entry)
  if (entry === undefined || template?.kind !== 'literal') return template
  const text = readText(reading.problems, entry)
  if (text !== undefined && !new RegExp(addressSchema.pattern).test(text)) {
    const hint = text.endsWith('/') ? `remove the slash at the end: ${text.replace(/\/+$/, '')}` : undefined
    reading.problems.add('E802', `\`${entry.name}\` ${addressSchema.patternErrorMessage}`, entry.value, hint)
  }
  return template
}

function readOrigins(reading: PluginReading, names: Names, entry: Entry | undefined): readonly Template[] {
  if (entry === undefined) return []
  const typed = readTemplate(reading, names, entry.value)
  refuseSecrets(reading, typed, '`other_origins`')
  for (const { template, start, end } of typed.items ?? []) {
    const origin = template.kind === 'literal' ? template.value : 'https://a.example'
    if (typeof origin !== 'string' || !/^https:\/\/[^/?#@\s]+$/.test(origin))
      reading.problems.add('E802', 'an origin is https:// and a host, without path', { start, end })
  }
  if (typed.items === undefined)
    reading.problems.add(
      'E106',
      `expected a list for \`${entry.name}\`, found ${describe(entry.value)}`,
      entry.value,
    )
  return typed.items?.map(({ template }) => template) ?? []
}

/** Reads the address of documentation. */
export function readDocs(reading: PluginReading, fields: Fields): string | undefined {
  const docs = literalText(reading, fields, 'docs')
  if (docs === undefined || (docs.startsWith('https://') && URL.canParse(docs))) return docs
  reading.problems.add('E107', '`docs` must be an https address', fields.get('docs')!.value)
  return undefined
}

/** Reads a list of literal texts. */
export function readTexts(reading: PluginReading, entry: Entry | undefined): readonly string[] {
  if (entry === undefined) return []
  const { name, value } = entry
  if (value.kind === 'list')
    return value.items.flatMap((item) => readText(reading.problems, { ...entry, value: item }) ?? [])
  const hint = `write ${name}: [first, second]`
  reading.problems.add('E106', `expected a list for \`${name}\`, found ${describe(value)}`, value, hint)
  return []
}

function readAuth(reading: PluginReading, names: Names, entry: Entry | undefined): DeclaredAuth | undefined {
  const fields = entry && readFields(reading.problems, entry.value, pluginGrammar.auth)
  if (entry === undefined || fields === undefined) return undefined
  const kind = onlyOneOf(reading, fields, authKinds, entry.value, '`auth` needs one of')
  const part = kind && fields.get(kind)!
  switch (kind) {
    case undefined:
      return undefined
    case 'header':
      return readHeader(reading, names, fields, part!)
    case 'bearer':
      return { kind, token: readTemplate(reading, names, part!.value).template }
    case 'basic':
      return readBasic(reading, names, part!.value)
    case 'oauth2':
      return readOAuth2(reading, names, part!.value)
  }
}

function readHeader(
  reading: PluginReading,
  names: Names,
  fields: Fields,
  header: Entry,
): DeclaredAuth | undefined {
  const name = readText(reading.problems, header)
  const value = fields.get('value')
  if (value === undefined) {
    const hint = 'write value: "${{ settings.api_key }}"'
    reading.problems.add('E105', '`auth` with `header` needs `value`', header.key, hint)
    return undefined
  }
  if (name !== undefined && !/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(name))
    reading.problems.add('E107', `${quote(name)} is not the name of a header`, header.value)
  const { template } = readTemplate(reading, names, value.value)
  return name === undefined ? undefined : { kind: 'header', name, value: template }
}

function readBasic(reading: PluginReading, names: Names, node: Node): DeclaredAuth | undefined {
  const fields = readFields(reading.problems, node, pluginGrammar.basic)
  const [username, password] = ['username', 'password'].map((key) => fields?.get(key))
  if (username === undefined || password === undefined) return undefined
  const read = (entry: Entry) => readTemplate(reading, names, entry.value).template
  return { kind: 'basic', username: read(username), password: read(password) }
}

function readOAuth2(reading: PluginReading, names: Names, node: Node): DeclaredAuth | undefined {
  const fields = readFields(reading.problems, node, pluginGrammar.oauth2)
  const grant = fields?.get('grant')
  const tokenEntry = fields?.get('token')
  if (fields === undefined || grant === undefined || tokenEntry === undefined) return undefined
  if (readChoice(reading.problems, grant, grants) === undefined) return undefined
  const token = readText(reading.problems, tokenEntry)
  const form = ['client_id', 'client_secret', 'scope', 'audience'].flatMap((key): Entries => {
    const entry = fields.get(key)
    return entry === undefined ? [] : [[key, readTemplate(reading, names, entry.value).template]]
  })
  const more = readEntries(reading, names, fields.get('fields'))
  return token === undefined ? undefined : { kind: 'client_credentials', token, form: [...form, ...more] }
}

const units: Readonly<Record<string, number>> = {
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
}

/** `50/week` as a limit; undefined for anything else. */
function parseRate(text: string): RateLimit | undefined {
  if (!new RegExp(ratePattern).test(text)) return undefined
  const [, requests, times, unit] = /^(\d+)\/(\d*)([a-z]+)$/.exec(text)!
  const limit = { requests: Number(requests), perMs: Number(times || 1) * units[unit!]! }
  return limit.requests <= 10_000 ? limit : undefined
}

const rateRule = 'write requests and a time: 50/week, 100/min, 4/10s; at most 10000 requests'

function readRates({ problems }: PluginReading, entry: Entry | undefined): readonly RateLimit[] {
  if (entry === undefined) return []
  const nodes = entry.value.kind === 'list' ? entry.value.items : [entry.value]
  return nodes.flatMap((node) => {
    const written = node.kind === 'scalar' ? String(node.value) : ''
    const limit = parseRate(written)
    if (limit === undefined) problems.add('E107', `${quote(written)} is not a rate`, node, rateRule)
    return limit ?? []
  })
}
