import { addressSchema, type JsonSchema } from '../../plugin/index.ts'
import type { Template } from '../../playbook/language/playbook.ts'
import { evaluateTemplate } from '../../playbook/template/template.ts'
import { describe, readFields, readText, type Fields } from '../../playbook/template/fields.ts'
import type { Entry } from '../../playbook/yaml/document.ts'
import { quote } from '../../playbook/language/problem.ts'
import type { DeclaredConnection, DeclaredHost, DeclaredXml } from '../language/declared.ts'
import type { DeclaredAuth } from '../language/declared-auth.ts'
import { pluginGrammar } from '../language/plugin-keys.ts'
import { pluginNamePattern, pluginNameRule } from '../language/related-keys.ts'
import {
  connectionNames,
  scalarPrograms,
  readHeaders,
  readShownText,
  readTemplate,
  refuseSecrets,
  type Names,
  type PluginReading,
} from './reading.ts'
import type { Type } from '../../expression/index.ts'
import { readFieldMap } from './read-fields.ts'
import { readAuth } from './auth/read-auth.ts'
import { checkTokenOrigin } from './auth/read-oauth.ts'
import { readRates } from './read-rate.ts'
import { readWebhooks } from './read-webhooks.ts'
import { literalText, readCheck, readErrors, readTexts } from './read-request.ts'

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
    ...Object.fromEntries(hostNames(fields).map((name) => [`${name}_url`, hostField(name)])),
  })
  const names = connectionNames(type)
  const xml = readXml(reading, fields.get('xml'))
  const baseUrl = readAddress(reading, names, fields.get('base_url'))
  for (const name of hostNames(fields)) reading.hosts.add(name)
  const checkEntry = fields.get('check')
  const check = checkEntry && readCheck(reading, names, checkEntry)
  const others = {
    otherOrigins: readOrigins(reading, names, fields.get('other_origins')),
    headers: readHeaders(reading, names, fields.get('headers')),
    auth: readAuth(reading, names, fields.get('auth')),
    rate: readRates(reading, names, fields.get('rate')),
    errors: readErrors(reading, fields.get('errors')),
    xml,
    webhooks: readWebhooks(reading, names, fields.get('webhooks')),
  }
  const checkChoices = (address: Template | undefined, entry: Entry | undefined) =>
    address && entry && checkEveryChoice(reading, address, entry, schema)
  checkChoices(baseUrl, fields.get('base_url'))
  const hosts = readHosts(reading, { names, auth: others.auth, checkChoices }, fields.get('hosts'))
  const authEntry = fields.get('auth')
  if (authEntry) checkTokenOrigin(reading, authEntry, others.auth, baseUrl, others.otherOrigins)
  const texts = {
    title: literalText(reading, fields, 'title') ?? plugin.title,
    description: literalText(reading, fields, 'description') ?? plugin.description,
    docs: readDocs(reading, fields),
    setup: readTexts(reading, fields.get('setup')),
  }
  const isWhole = baseUrl !== undefined && check !== undefined
  const connection = isWhole ? { ...texts, settings: schema, baseUrl, check, hosts, ...others } : undefined
  return { connection, settings: type }
}

const hostNames = (fields: Fields): readonly string[] => {
  const value = fields.get('hosts')?.value
  return value?.kind === 'map' ? value.entries.map(({ name }) => name) : []
}

/** The field by which an operator can replace the address of a host. */
const hostField = (name: string) => ({
  schema: {
    ...addressSchema,
    title: `Address of ${name}`,
    description: 'Overrides the address, for example with a proxy. Leave blank for the default.',
  },
  isRequired: false,
})

const maxHosts = 10

interface HostSurroundings {
  readonly names: Names
  /** The credentials of the connection. */
  readonly auth: DeclaredAuth | undefined
  readonly checkChoices: (address: Template | undefined, entry: Entry | undefined) => void
}

/** Reads `hosts`: name → a further address with its credentials. */
function readHosts(
  reading: PluginReading,
  { names, auth, checkChoices }: HostSurroundings,
  entry: Entry | undefined,
): readonly DeclaredHost[] {
  if (entry === undefined) return []
  const { problems } = reading
  if (entry.value.kind !== 'map') {
    const hint = 'write { <name>: { base_url: … } }'
    problems.add('E106', `expected a map for \`hosts\`, found ${describe(entry.value)}`, entry.value, hint)
    return []
  }
  if (entry.value.entries.length > maxHosts)
    problems.add('E107', `a connection has at most ${maxHosts} hosts`, entry.key)
  return entry.value.entries.flatMap(({ name, key, value }): readonly DeclaredHost[] => {
    if (!new RegExp(pluginNamePattern).test(name) || name === 'base')
      problems.add('E107', `invalid name ${quote(name)}`, key, pluginNameRule)
    const fields = readFields(problems, value, pluginGrammar.host)
    if (fields === undefined) return []
    const baseUrl = readAddress(reading, names, fields.get('base_url'))
    checkChoices(baseUrl, fields.get('base_url'))
    const authEntry = fields.get('auth')
    const isSame = authEntry?.value.kind === 'scalar' && authEntry.value.value === 'same'
    const own = isSame ? 'same' : readAuth(reading, names, authEntry, auth)
    if (own !== 'same' && own?.kind === 'authorization_code')
      problems.add(
        'E806',
        'people sign in to the connection, not to a host',
        authEntry!.value,
        'write auth: same',
      )
    const headers = readHeaders(reading, names, fields.get('headers'))
    return baseUrl === undefined ? [] : [{ name, baseUrl, headers, auth: own }]
  })
}

function readXml(reading: PluginReading, entry: Entry | undefined): DeclaredXml | undefined {
  if (entry === undefined) return undefined
  reading.hasXml = true
  const fields = readFields(reading.problems, entry.value, pluginGrammar.xml)
  const lists = readTexts(reading, fields?.get('lists'))
  const wrong = lists.find((list) => !/^[\p{L}_][\p{L}\p{N}_.-]*(\/[\p{L}_][\p{L}\p{N}_.-]*)?$/u.test(list))
  if (wrong !== undefined) {
    const hint = 'write an element without namespace, such as Contents, or Users/member'
    reading.problems.add(
      'E107',
      `${quote(wrong)} is not the name of an element`,
      fields!.get('lists')!.value,
      hint,
    )
  }
  return { lists }
}

/** The field by which an operator can replace the address, for a proxy or a sandbox. */
function baseUrlField(fields: Fields): JsonSchema {
  const { value } = fields.get('base_url') ?? {}
  const text = value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : ''
  return {
    ...addressSchema,
    title: 'Base URL',
    description: 'Overrides the address of the API, for example with a proxy. Leave blank for the default.',
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

/** Reports a choice of a field, such as a region, for which there is no address. */
function checkEveryChoice(
  { problems }: PluginReading,
  address: Template,
  { name, value }: Entry,
  { properties = {} }: JsonSchema,
): void {
  const read = scalarPrograms(address).flatMap(({ references }) => references)
  const [field] = read[0]?.root === 'settings' ? read[0].path : []
  const choices = field === undefined ? undefined : properties[field]?.enum
  // Only if this field alone decides the address.
  if (choices === undefined || read.some(({ root, path }) => root !== 'settings' || path[0] !== field)) return
  for (const choice of choices) {
    if (isAddress(() => evaluateTemplate(address, { settings: { [field!]: choice } }))) continue
    const message = `\`${name}\` has no address for ${field} ${quote(String(choice))}`
    problems.add('E802', message, value, 'add one, or remove the choice')
  }
}

function isAddress(make: () => unknown): boolean {
  try {
    return URL.canParse(String(make()))
  } catch {
    return false
  }
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
