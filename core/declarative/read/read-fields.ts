import { nearest } from '../../common/nearest.ts'
import { ValidationError } from '../../errors/errors.ts'
import { keywords, typeOfSchema, type Type } from '../../expression/index.ts'
import { addressSchema, privateAddressSchema, type JsonSchema } from '../../plugin/index.ts'
import { idPattern } from '../../playbook/language/constants.ts'
import { suggestId } from '../../playbook/language/did-you-mean.ts'
import { quote } from '../../playbook/language/problem.ts'
import { readSchema } from '../../playbook/steps/read-inputs.ts'
import { describe } from '../../playbook/template/fields.ts'
import type { Entry, MapNode } from '../../playbook/yaml/document.ts'
import { entryNamed, plainValue } from '../../playbook/yaml/plain-value.ts'
import { checkKeywords, compileSchema, keywordNames } from '../../schema/index.ts'
import type { PluginReading } from './reading.ts'

/** Fields of a connection, or the inputs of a skill. */
export interface DeclaredFields {
  /** Schema of an object with these fields. */
  readonly schema: JsonSchema
  /** As expressions see them: with defaults, and with secrets as sensitive strings. */
  readonly type: Type
}

interface ReadField {
  readonly name: string
  readonly schema: JsonSchema
  readonly isRequired: boolean
  readonly isPresent: boolean
}

const validName = new RegExp(idPattern)
const untyped = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref', 'properties', 'items']

/**
 * Reads `fields` or `input`.
 *
 * @param more default fields, unless the plugin declares its own
 */
export function readFieldMap(
  reading: PluginReading,
  entry: Entry | undefined,
  of: 'connection' | 'input',
  more: Readonly<Record<string, { readonly schema: JsonSchema; readonly isRequired: boolean }>> = {},
): DeclaredFields {
  const { problems } = reading
  const fields: ReadField[] = []
  if (entry !== undefined && entry.value.kind !== 'map') {
    const hint = 'write { <name>: { type: string } }'
    problems.add(
      'E106',
      `expected a map for \`${entry.name}\`, found ${describe(entry.value)}`,
      entry.value,
      hint,
    )
  }
  for (const each of entry?.value.kind === 'map' ? entry.value.entries : []) {
    if (!validName.test(each.name)) {
      problems.add('E107', `invalid name ${quote(each.name)}`, each.key, suggestId(each.name))
    } else if (keywords.includes(each.name)) {
      problems.add('E107', `${quote(each.name)} is reserved in expressions`, each.key, 'choose another name')
    }
    fields.push(readField(reading, each, of))
  }
  for (const [name, { schema, isRequired }] of Object.entries(more)) {
    if (!fields.some((field) => field.name === name))
      fields.push({ name, schema, isRequired, isPresent: isRequired || schema.default !== undefined })
  }
  return { schema: schemaOf(fields), type: typeOf(fields) }
}

function schemaOf(fields: readonly ReadField[]): JsonSchema {
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
  }
}

function typeOf(fields: readonly ReadField[]): Type {
  const properties = fields.map(({ name, schema }): [string, JsonSchema] => {
    const { 'x-secret': isSecret, 'x-accepts-sensitive': accepts, ...rest } = schema
    return [name, isSecret === true || accepts === true ? { ...rest, 'x-sensitive': true } : rest]
  })
  return typeOfSchema({
    type: 'object',
    additionalProperties: false,
    required: fields.filter(({ isPresent }) => isPresent).map(({ name }) => name),
    properties: Object.fromEntries(properties),
  })
}

/** Keys of an output field beside the keywords of JSON Schema. */
export const fieldKeys: readonly string[] = ['value', 'optional', 'each', 'item']

/** Keys of a field beside the keywords of JSON Schema. */
const ownKeys = ['optional', 'secret', 'sensitive', 'address'] as const

function readField(reading: PluginReading, { name, value }: Entry, of: 'connection' | 'input'): ReadField {
  const { problems } = reading
  const invalid = { name, schema: {}, isRequired: false, isPresent: true }
  if (value.kind !== 'map') {
    const hint = `write ${name}: { type: string }`
    problems.add('E106', `expected a map for a field, found ${describe(value)}`, value, hint)
    return invalid
  }
  const flags = new Map(ownKeys.map((key) => [key, readFlag(reading, value, key)]))
  const isSecret = flags.get('secret') === true || isMarkedSecret(value)
  if (isSecret && of === 'input') {
    const hint = 'declare the secret as a field of the connection, or mark the input with sensitive: true'
    problems.add(
      'E107',
      'an input cannot be secret',
      (entryNamed(value, 'secret') ?? value.entries[0]!).key,
      hint,
    )
  }
  if (isSecret) reading.secrets.add(name)
  const written = Object.fromEntries(
    Object.entries(plainValue(value) as JsonSchema).filter(([key]) => !ownKeys.some((own) => own === key)),
  ) as JsonSchema
  checkRequiredKey(reading, value)
  const typed = { ...typeless(written), ...addressOf(reading, name, value, of, written), ...written }
  const schema = readJsonSchema(reading, typed, value)
  if (schema === undefined) return invalid
  if (isSecret && schema.type !== 'string') {
    problems.add('E107', 'a secret must be a string', value, 'leave `type` out')
  }
  const marks = {
    ...(isSecret && of === 'connection' && { 'x-secret': true }),
    ...(flags.get('sensitive') === true && of === 'input' && { 'x-accepts-sensitive': true }),
  }
  const hasDefault = schema.default !== undefined
  const isRequired = flags.get('optional') !== true && !hasDefault
  return { name, schema: { ...schema, ...marks }, isRequired, isPresent: isRequired || hasDefault }
}

const isMarkedSecret = (node: MapNode): boolean => {
  const entry = entryNamed(node, 'x-secret')
  return entry !== undefined && plainValue(entry.value) === true
}

/** A field is a string unless it says otherwise. */
function typeless(written: JsonSchema): JsonSchema {
  const isTexts = written.enum?.every((value) => typeof value === 'string') === true
  const isOpen = untyped.every((key) => !Object.hasOwn(written, key))
  return isOpen || (isTexts && written.type === undefined) ? { type: 'string' } : {}
}

function addressOf(
  reading: PluginReading,
  name: string,
  node: MapNode,
  of: 'connection' | 'input',
  written: JsonSchema,
): JsonSchema {
  const entry = entryNamed(node, 'address')
  const kind: unknown = entry && plainValue(entry.value)
  if (entry !== undefined && kind !== 'public' && kind !== 'private') {
    reading.problems.add('E107', '`address` must be public or private', entry.value)
  }
  if (kind === 'private') return privateAddressSchema
  const isBase = of === 'connection' && name === 'base_url'
  const isPlain = written.format === undefined && written.pattern === undefined
  return kind === 'public' || (isBase && isPlain) ? addressSchema : {}
}

function readFlag({ problems }: PluginReading, node: MapNode, key: string): boolean | undefined {
  const entry = key === 'address' ? undefined : entryNamed(node, key)
  if (entry === undefined) return undefined
  const value = entry.value.kind === 'scalar' ? entry.value.value : undefined
  if (typeof value === 'boolean') return value
  problems.add('E106', `expected true or false for \`${key}\`, found ${describe(entry.value)}`, entry.value)
  return undefined
}

/** Other tools use `required: true`. */
function checkRequiredKey({ problems }: PluginReading, node: MapNode): void {
  const entry = entryNamed(node, 'required')
  if (entry?.value.kind !== 'scalar') return
  const hint = 'leave it out: a field is required unless it has `optional: true` or a default'
  problems.add('E107', '`required` is not a key of a field', entry.key, hint)
}

/** Reads a JSON Schema; undefined if it is invalid, which has been reported. */
export function readJsonSchema(
  reading: PluginReading,
  schema: JsonSchema,
  node: MapNode,
): JsonSchema | undefined {
  const known = [...keywordNames, ...ownKeys, ...fieldKeys]
  const misspelt = node.entries.find(
    ({ name }) => !known.includes(name) && nearest(name, known) !== undefined,
  )
  if (misspelt !== undefined) {
    const hint = `did you mean '${nearest(misspelt.name, known)}'?`
    reading.problems.add('E104', `unknown key ${quote(misspelt.name)} in a field`, misspelt.key, hint)
    return undefined
  }
  return readSchema(reading, schema, node, false, reading.isThorough ? compileSchema : checkOnly)
}

/** The check of keywords without the slow compilation. */
function checkOnly(schema: JsonSchema): void {
  const problems = checkKeywords(schema)
  if (problems.length > 0) throw new ValidationError('schema_invalid', 'invalid schema', problems)
}
