import { errorMeanings, pathText, SkillError } from '../../plugin/index.ts'
import { describe, readChoice, readFields, readText, type Fields } from '../../playbook/template/fields.ts'
import type { KeyTable } from '../../playbook/language/key-table.ts'
import { suggest } from '../../playbook/language/did-you-mean.ts'
import { quote } from '../../playbook/language/problem.ts'
import type { Entry, Node } from '../../playbook/yaml/document.ts'
import type {
  DeclaredBody,
  DeclaredCheck,
  DeclaredError,
  DeclaredPart,
  DeclaredPath,
  DeclaredRequest,
} from '../language/declared.ts'
import { pluginGrammar } from '../language/plugin-keys.ts'
import {
  bodies,
  bodyWords,
  effects,
  requestMethods,
  requestBounds,
  type MethodKey,
} from '../language/request-keys.ts'
import {
  readCondition,
  readEntries,
  readHeaders,
  readShownText,
  readTemplate,
  refuseSecrets,
  responseType,
  type Names,
  type PluginReading,
} from './reading.ts'

/** Reads a request; undefined if it has no usable method, which has been reported. */
export function readRequest(
  reading: PluginReading,
  names: Names,
  node: Node,
  table: KeyTable = pluginGrammar.request,
): { readonly request: DeclaredRequest; readonly fields: Fields } | undefined {
  const fields = readFields(reading.problems, node, table)
  if (fields === undefined) return undefined
  const method = onlyOneOf(reading, fields, requestMethods, node, 'a request needs a method')
  const body = readBody(reading, names, fields)
  const query = readEntries(reading, names, fields.get('query'))
  const headers = readHeaders(reading, names, fields.get('headers'))
  const accept = readStatuses(reading, fields.get('accept'))
  const host = readHostName(reading, fields.get('host'))
  if (method === undefined) return undefined
  const path = readPath(reading, names, fields.get(method)!)
  if (path === undefined) return undefined
  const upper = method.toUpperCase() as Uppercase<MethodKey>
  return { request: { method: upper, host, path, query, headers, body, accept }, fields }
}

function readHostName({ problems, hosts }: PluginReading, entry: Entry | undefined): string | undefined {
  const name = entry && readText(problems, entry)
  if (name === undefined || hosts.has(name)) return name
  const hint = suggest(name, [...hosts]) ?? 'declare it under connection.hosts'
  problems.add('E806', `${quote(name)} is not a host of the connection`, entry!.value, hint)
  return undefined
}

/** The only one of these keys that is given; undefined if there is none or several, which is reported. */
export function onlyOneOf<Key extends string>(
  { problems }: PluginReading,
  fields: Fields,
  keys: readonly Key[],
  node: Node,
  missing: string,
): Key | undefined {
  const given = keys.filter((key) => fields.has(key))
  if (given.length === 1) return given[0]
  if (given.length === 0) problems.add('E801', `${missing}: ${keys.join(', ')}`, firstKey(fields) ?? node)
  else
    problems.add(
      'E801',
      `only one of ${given.join(' and ')} is possible`,
      fields.get(given[1]!)!.key,
      'remove one',
    )
  return undefined
}

const firstKey = (fields: Fields) => fields.values().next().value?.key

function readPath(reading: PluginReading, names: Names, entry: Entry): DeclaredPath | undefined {
  const { problems } = reading
  const { name, value } = entry
  if (value.kind === 'map') {
    const hint = 'write /path, or a list of segments'
    problems.add('E106', `expected a path for \`${name}\`, found a map`, value, hint)
    return undefined
  }
  const typed = readTemplate(reading, names, value)
  refuseSecrets(reading, typed, 'a path')
  const { template } = typed
  if (value.kind === 'list') {
    if (value.items.length === 0) problems.add('E802', 'the path has no segments', value)
    const items = typed.items ?? []
    const last = items.at(-1)?.template
    // Only a slash in the source counts: an empty value must not turn the path of an object into
    // that of its list.
    const endsWithSlash = items.length > 1 && last?.kind === 'literal' && last.value === ''
    const segments = endsWithSlash ? items.slice(0, -1) : items
    for (const item of segments) checkSegment(reading, item.template, item)
    return { kind: 'segments', segments: segments.map((item) => item.template), endsWithSlash }
  }
  if (template.kind === 'expression') return { kind: 'address', address: template }
  const text = value.value
  // An invalid expression has no template, but still counts as an expression.
  const isMixed = typeof text === 'string' && text.includes('${{')
  if (template.kind !== 'literal' || typeof text !== 'string' || isMixed) {
    const hint = isMixed ? hintForSegments(text) : 'write /path, or a list of segments'
    const message = isMixed
      ? 'a path takes no expressions in its text'
      : `expected a path, found ${describe(value)}`
    problems.add('E802', message, value, hint)
    return undefined
  }
  if (text.startsWith('https://')) return { kind: 'text', text }
  checkPath(reading, text, value)
  return { kind: 'text', text }
}

/** `/ips/${{ input.ip }}` as a list of segments. */
function hintForSegments(text: unknown): string {
  const parts = String(text).match(/(?:\$\{\{.*?\}\}|[^/])+/g) ?? []
  const shown = parts
    .map((part) => (part.includes('${{') ? `"${part.replaceAll('"', "'")}"` : part))
    .join(', ')
  return `write a list of segments: [${shown.length > 0 && shown.length <= 120 ? shown : 'path, "${{ … }}"'}]`
}

function checkSegment(
  reading: PluginReading,
  template: { kind: string; value?: unknown },
  at: { start: number; end: number },
): void {
  if (template.kind !== 'literal' || reading.problems.hasErrorIn(at)) return
  const { value } = template
  if (typeof value !== 'string' && typeof value !== 'number') {
    reading.problems.add('E802', 'a segment must be a string or a number', at)
  } else if (typeof value === 'string' && value.includes('/')) {
    const hint = `write ${value
      .split('/')
      .filter((part) => part !== '')
      .join(', ')}`
    reading.problems.add('E802', 'a segment with `/` would be percent-encoded', at, hint)
  } else checkPath(reading, [value], at)
}

function checkPath(
  reading: PluginReading,
  path: string | readonly (string | number)[],
  at: { start: number; end: number },
): void {
  try {
    pathText(path)
  } catch (error) {
    if (!(error instanceof SkillError)) throw error
    reading.problems.add('E802', error.message, at, error.hint)
  }
}

function readBody(reading: PluginReading, names: Names, fields: Fields): DeclaredBody | undefined {
  const given = bodies.filter((key) => fields.has(key))
  const [kind, second] = given
  if (kind === undefined) return undefined
  if (second !== undefined) {
    reading.problems.add(
      'E801',
      `a request has one body: ${bodyWords}`,
      fields.get(second)!.key,
      'remove one',
    )
  }
  const entry = fields.get(kind)!
  if (kind === 'form') return { kind, fields: readEntries(reading, names, entry) }
  if (kind === 'multipart') return { kind, parts: readParts(reading, names, entry) }
  const { template } = readTemplate(reading, names, entry.value)
  return kind === 'json' ? { kind, value: template } : { kind, text: template }
}

function readParts(reading: PluginReading, names: Names, entry: Entry): readonly DeclaredPart[] {
  if (entry.value.kind !== 'map') {
    readEntries(reading, names, entry)
    return []
  }
  const template = (node: Node | undefined) => node && readTemplate(reading, names, node).template
  return entry.value.entries.flatMap(({ name, value }): readonly DeclaredPart[] => {
    if (value.kind !== 'map') {
      const plain = readTemplate(reading, names, value).template
      return [{ name, value: plain, isBase64: false, filename: undefined, contentType: undefined }]
    }
    const fields = readFields(reading.problems, value, pluginGrammar.part)
    const content = fields && onlyOneOf(reading, fields, ['value', 'base64'], value, 'a file needs one of')
    if (fields === undefined || content === undefined) return []
    const filename = template(fields.get('filename')?.value)
    const contentType = template(fields.get('content_type')?.value)
    const isBase64 = content === 'base64'
    return [{ name, value: template(fields.get(content)!.value)!, isBase64, filename, contentType }]
  })
}

/** Reads a status or a list of them. */
export function readStatuses({ problems }: PluginReading, entry: Entry | undefined): readonly number[] {
  if (entry === undefined) return []
  const nodes = entry.value.kind === 'list' ? entry.value.items : [entry.value]
  const [min, max] = requestBounds.status
  return nodes.flatMap((node) => {
    const status = node.kind === 'scalar' ? node.value : undefined
    if (typeof status === 'number' && Number.isInteger(status) && status >= min && status <= max)
      return [status]
    problems.add('E107', `a status is a whole number from ${min} to ${max}`, node)
    return []
  })
}

/** Reads the request that tests the credentials. */
export function readCheck(reading: PluginReading, names: Names, entry: Entry): DeclaredCheck | undefined {
  const read = readRequest(reading, names, entry.value, pluginGrammar.check)
  if (read === undefined) return undefined
  const answered = { ...names, response: responseType(reading) }
  const { request, fields } = read
  return {
    ...request,
    account: readShownText(reading, answered, fields.get('account')),
    warning: readShownText(reading, answered, fields.get('warning')),
  }
}

/** Reads the explanations of errors. */
export function readErrors(reading: PluginReading, entry: Entry | undefined): readonly DeclaredError[] {
  if (entry === undefined) return []
  const { problems } = reading
  if (entry.value.kind !== 'list') {
    problems.add('E106', `expected a list for \`errors\`, found ${describe(entry.value)}`, entry.value)
    return []
  }
  const names = { response: responseType(reading) }
  return entry.value.items.flatMap((node) => {
    const fields = readFields(problems, node, pluginGrammar.error)
    const whenEntry = fields?.get('when')
    const when = whenEntry && readCondition(reading, names, whenEntry)
    const effectEntry = fields?.get('effect')
    const effect = effectEntry && readChoice(problems, effectEntry, effects)
    const errorEntry = fields?.get('error')
    const error = errorEntry && readChoice(problems, errorEntry, errorMeanings)
    const message = readShownText(reading, names, fields?.get('message'))
    const hint = readShownText(reading, names, fields?.get('hint'))
    return when === undefined ? [] : [{ when, message, hint, effect, error }]
  })
}

/** A literal text; undefined if absent or invalid, which is reported. */
export const literalText = (
  { problems }: PluginReading,
  fields: Fields,
  name: string,
): string | undefined => {
  const entry = fields.get(name)
  return entry && readText(problems, entry)
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
