import {
  duration,
  dyn,
  keywords,
  patternWeight,
  timestamp,
  typeOfSchema,
  type Type,
} from '../../expression/index.ts'
import { ValidationError } from '../../errors/errors.ts'
import type { JsonSchema } from '../../plugin/index.ts'
import type { ReadContext } from '../scope/context.ts'
import { compileSchema, keywordNames } from '../../schema/index.ts'
import { nearest } from '../../common/nearest.ts'
import type { Sliced } from '../../common/sliced.ts'
import type { Entry, Node } from '../yaml/document.ts'
import { suggest, suggestId, suggestNearest } from '../language/did-you-mean.ts'
import { hintForDuration } from '../language/durations.ts'
import { describe, hintForCutText } from '../template/fields.ts'
import { idPattern, inputTypes } from '../language/constants.ts'
import { durationSchema, inputProblems, isDurationSchema, timestampSchema } from '../template/inputs.ts'
import { keyAt, nodeAt, partsOf, plainValue } from '../yaml/plain-value.ts'
import type { Input, Inputs } from '../language/playbook.ts'
import { quote, type Problems } from '../language/problem.ts'

type Reading = Pick<ReadContext, 'problems' | 'patterns'>

const validName = new RegExp(idPattern)

/** Reads `inputs`: each is `{ type, default, enum, sensitive, description }` or any JSON Schema. */
export function* readInputs(reading: Reading, { value }: Entry): Sliced<Inputs> {
  const { problems } = reading
  const inputs = new Map<string, Input>()
  if (value.kind !== 'map') {
    const hint = 'write { <name>: { type: string } }'
    problems.add('E106', `expected a map of inputs for \`inputs\`, found ${describe(value)}`, value, hint)
    return inputs
  }
  for (const { name, key, value: node } of value.entries) {
    yield
    if (keywords.includes(name)) {
      problems.add('E107', `${quote(name)} is reserved in expressions`, key, 'choose another name')
    } else if (!validName.test(name)) {
      problems.add('E107', `invalid input name ${quote(name)}`, key, suggestId(name))
    }
    // An invalid input, which has been reported, causes no follow-up problems.
    inputs.set(name, readInput(reading, node) ?? unknownInput)
  }
  return inputs
}

const unknownInput: Input = {
  schema: {},
  type: dyn,
  default: { value: null },
  sensitive: false,
  description: undefined,
}

const whenRequired = 'leave it out: an input without a default is required'

/** Types beyond JSON Schema. */
const ownTypes: Readonly<Record<string, { readonly schema: JsonSchema; readonly type: Type }>> = {
  duration: { schema: durationSchema, type: duration },
  timestamp: { schema: timestampSchema, type: timestamp },
}

/** `what`: an input or another declaration in its form. */
export function readInput(reading: Reading, node: Node, what = 'an input'): Input | undefined {
  const { problems } = reading
  if (node.kind !== 'map') {
    problems.add('E106', `expected a map for ${what}, found ${describe(node)}`, node, hintForShort(node))
    return undefined
  }
  const { sensitive, default: preset, type, ...rest } = plainValue(node) as Readonly<Record<string, unknown>>
  if (sensitive !== undefined && typeof sensitive !== 'boolean') {
    const place = nodeAt(node, ['sensitive'])
    problems.add('E106', `expected true or false for \`sensitive\`, found ${describe(place)}`, place)
  }
  if (rest['required'] === true || rest['required'] === false) {
    problems.add('E107', `\`required\` is not a key of ${what}`, nodeAt(node, ['required']), whenRequired)
    return undefined
  }
  const own = typeof type === 'string' && Object.hasOwn(ownTypes, type) ? ownTypes[type] : undefined
  const written = { ...(own ? own.schema : type === undefined ? {} : { type }), ...rest } as JsonSchema
  const schema = readSchema(reading, written, node, true)
  if (schema === undefined) return undefined
  if (preset !== undefined) checkDefault(problems, schema, preset, nodeAt(node, ['default']))
  return {
    schema,
    type: own ? typeOfOwn(own.type, schema) : typeOfSchema(schema),
    default: preset === undefined ? undefined : { value: preset },
    sensitive: sensitive === true || schema['x-sensitive'] === true,
    description: typeof schema.description === 'string' ? schema.description : undefined,
  }
}

/** A hint for an input given as its type or default only. */
function hintForShort(node: Node): string {
  const value = node.kind === 'scalar' ? node.value : undefined
  if (typeof value === 'number' || typeof value === 'boolean')
    return `write { type: ${typeof value}, default: ${value} }`
  const word = typeof value === 'string' ? value : 'string'
  return `write { type: ${typeWords.get(word) ?? (isType(word) ? word : 'string')} }`
}

/** An enumeration of times is both a list of strings and a time. */
function typeOfOwn(type: Type, schema: JsonSchema): Type {
  const chosen = schema.enum === undefined ? undefined : typeOfSchema(schema)
  if (chosen?.kind !== 'string') return chosen ?? type
  return { ...chosen, format: type.kind === 'timestamp' ? 'date-time' : 'duration' }
}

function checkDefault(problems: Problems, schema: JsonSchema, value: unknown, node: Node): void {
  for (const { pointer, message } of inputProblems(schema, value)) {
    const hint = pointer === '' ? hintForDefault(schema, value) : undefined
    problems.add('E308', `the default ${message}`, nodeAt(node, partsOf(pointer)), hint)
  }
}

function hintForDefault(schema: JsonSchema, value: unknown): string | undefined {
  if (schema.pattern === durationSchema.pattern) return hintForDuration(String(value))
  if (schema.format === 'date-time') return 'write it like 2026-03-01T08:00:00Z'
  const choices = schema.enum?.map(String)
  if (choices) return suggestNearest(String(value), choices)
  const isNumber = schema.type === 'integer' || schema.type === 'number'
  if (isNumber && typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value))
    return `remove the quotes: ${value}`
  return schema.type === 'string' && (typeof value === 'number' || typeof value === 'boolean')
    ? `put it into quotes: "${value}"`
    : undefined
}

const isType = (word: string): boolean => (inputTypes as readonly string[]).includes(word)

/** Types in other languages. */
const typeWords: ReadonlyMap<string, string> = new Map([
  ...['text', 'str', 'email', 'url', 'ip'].map((word) => [word, 'string'] as const),
  ...['int', 'long'].map((word) => [word, 'integer'] as const),
  ...['float', 'double', 'decimal'].map((word) => [word, 'number'] as const),
  ...['bool', 'flag', 'yesno'].map((word) => [word, 'boolean'] as const),
  ...['list', 'strings'].map((word) => [word, 'array'] as const),
  ...['map', 'dict', 'json'].map((word) => [word, 'object'] as const),
  ...['datetime', 'date', 'time', 'date-time'].map((word) => [word, 'timestamp'] as const),
])

/** The weight of the patterns in a schema, whose depth is bounded by the file. */
function patternsOf(schema: unknown): number {
  if (typeof schema !== 'object' || schema === null) return 0
  return Object.entries(schema).reduce(
    (sum, [name, value]) =>
      sum + (name === 'pattern' && typeof value === 'string' ? patternWeight(value) : patternsOf(value)),
    0,
  )
}

/**
 * Checks a JSON Schema; undefined if it is invalid, which has been reported.
 *
 * @param isInput whether it may have the types of inputs
 * @param compile throws ValidationError for an invalid schema
 */
export function readSchema(
  { problems, patterns }: Reading,
  schema: JsonSchema,
  node: Node,
  isInput = false,
  compile: (schema: JsonSchema) => unknown = compileSchema,
): JsonSchema | undefined {
  patterns.left -= patternsOf(schema)
  if (patterns.left < 0) {
    const hint = 'use smaller repeat counts, or * or + instead of {0,1000}'
    problems.add('E311', 'the regular expressions up to here are too large', node, hint)
    return undefined
  }
  try {
    if (!isDurationSchema(schema)) compile(schema)
    return schema
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    for (const { pointer, message } of error.errors) {
      const parts = partsOf(pointer)
      const place = nodeAt(node, parts)
      const isUnknown = message.startsWith('unknown keyword')
      const what = isUnknown ? '' : pointer === '' ? 'the schema ' : `${quote(parts.join('.'))} `
      const known =
        isInput && pointer === '/type'
          ? `must be one of ${inputTypes.join(', ')}, or a list of them`
          : message
      const hint = () => hintForKeyword(parts.at(-1), isUnknown, place, isInput && parts.length === 1)
      problems.add('E311', what + known, isUnknown ? keyAt(node, parts) : place, hint)
    }
    return undefined
  }
}

/** Reads a schema. */
export function readWrittenSchema(reading: Reading, { name, value }: Entry): JsonSchema | undefined {
  if (value.kind === 'map') return readSchema(reading, plainValue(value) as JsonSchema, value)
  reading.problems.add('E106', `expected a JSON Schema for \`${name}\`, found ${describe(value)}`, value)
  return undefined
}

function hintForKeyword(
  keyword: string | undefined,
  isUnknown: boolean,
  place: Node,
  isOfInput: boolean,
): string | undefined {
  if (isUnknown) return hintForCutText(keyword ?? '') ?? hintForUnknown(keyword ?? '', isOfInput)
  if (keyword === 'required')
    return 'put it beside `properties`, with a list of the required fields: required: [a, b]'
  if (keyword !== 'type' || place.kind !== 'scalar') return undefined
  const word = String(place.value)
  const meant = typeWords.get(word)
  return meant === undefined ? suggest(word, inputTypes) : `did you mean '${meant}'?`
}

function hintForUnknown(keyword: string, isOfInput: boolean): string | undefined {
  if (keyword === 'nullable') return "use a list of types instead: [string, 'null']"
  if (keyword === 'patternProperties')
    return 'use `additionalProperties` for the fields that `properties` does not list'
  if (keyword === 'prefixItems') return 'use `items` for all elements'
  if (keyword === 'schema') return 'replace it with its content'
  if (keyword === 'optional')
    return isOfInput ? 'give it a default' : 'leave it out: fields that `required` does not list are optional'
  const meant = nearest(keyword, isOfInput ? [...keywordNames, 'sensitive'] : keywordNames)
  if (meant === undefined) return 'put the fields of an object under `properties`'
  return isOfInput && meant === 'required' ? whenRequired : `did you mean '${meant}'?`
}
