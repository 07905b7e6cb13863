import { isObject, valueAt, type JsonObject, type JsonSchema } from '../../plugin/index.ts'
import { keywords } from '../../expression/index.ts'
import type { ApiDocument } from '../document/api-document.ts'
import { UniqueNames, snakeCase } from '../document/names.ts'
import type { InnerSchema } from '../schema/flatten-schema.ts'
import { orNull, simplify } from '../schema/simplify-schema.ts'
import { isJsonType } from './body.ts'
import { template, type SkillPlan } from './skill-plan.ts'

/** The output of a skill: its form in `plugin.yaml`, its schema, and its value for a body. */
export interface PlannedOutput {
  readonly written: JsonObject
  readonly schema: JsonSchema
  /** @throws UnreadableBody */
  read(body: unknown): JsonObject
}

/** A body has another form than the one documented. */
export class UnreadableBody extends Error {}

/** The documented answer of a successful operation. */
export interface PlannedAnswer {
  readonly status: number
  readonly headers: unknown
  readonly kind: 'json' | 'text' | 'empty'
  /** Of the body; undefined if it is not JSON. */
  readonly body: InnerSchema | undefined
  /** The body that the document gives as an example. */
  readonly example: unknown
}

/** Finds the answer of a successful operation, preferably one with a body. */
export function answerOf({ reader: { document }, operation }: SkillPlan): PlannedAnswer {
  const given = valueAt(operation.raw, 'responses')
  const all = Object.entries(isObject(given) ? given : {})
  const good = all.filter(([status]) => /^2(\d\d|XX)$/i.test(status))
  // If a success status is documented, `default` describes errors.
  const answers = (good.length > 0 ? good : all.filter(([status]) => status === 'default'))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([status, response]): PlannedAnswer => {
      const found = document.resolve(response)
      const number = /^\d+$/.test(status) ? Number(status) : 200
      // These have no body, whatever the document says.
      const content = number === 204 || number === 205 ? noContent : contentOf(document, found)
      return { status: number, headers: valueAt(found, 'headers'), ...content }
    })
  const first = answers.find(({ kind }) => kind === 'json') ?? answers[0]
  if (first === undefined || operation.method === 'head') return emptyAnswer
  // If a successful answer may have no body, its fields cannot be read.
  const isSometimesEmpty = first.kind === 'json' && answers.some(({ kind }) => kind === 'empty')
  return isSometimesEmpty ? { ...first, body: undefined } : first
}

const noContent = { kind: 'empty', body: undefined, example: undefined } as const
const emptyAnswer: PlannedAnswer = { status: 200, headers: undefined, ...noContent }

type Content = Pick<PlannedAnswer, 'kind' | 'body' | 'example'>

function contentOf(document: ApiDocument, response: unknown): Content {
  if (document.isSwagger2) {
    const schema = valueAt(response, 'schema')
    const examples = valueAt(response, 'examples')
    const example = isObject(examples)
      ? Object.entries(examples).find(([type]) => isJsonType(type))?.[1]
      : undefined
    return {
      kind: schema === undefined ? 'empty' : 'json',
      body: schema === undefined ? undefined : { schema, trail: [] },
      example,
    }
  }
  const content = valueAt(response, 'content')
  const media = Object.entries(isObject(content) ? content : {})
  const json = media.find(([type]) => isJsonType(type))?.[1]
  if (json === undefined)
    return { kind: media.length === 0 ? 'empty' : 'text', body: undefined, example: undefined }
  const examples = valueAt(json, 'examples')
  const [first] = isObject(examples) ? Object.values(examples) : []
  const example = valueAt(json, 'example') ?? valueAt(document.resolve(first), 'value')
  return { kind: 'json', body: { schema: valueAt(json, 'schema'), trail: [] }, example }
}

/** Plans the output of an operation that is not read in pages. */
export function planOutput(plan: SkillPlan, answer: PlannedAnswer): PlannedOutput {
  if (answer.kind === 'text')
    return plainOutput('text', { type: 'string', description: 'The answer.' }, 'response.text')
  if (answer.kind === 'empty')
    return plainOutput(
      'status',
      { type: 'integer', description: 'The status of the answer.' },
      'response.status',
      answer.status,
    )
  const schema =
    answer.body === undefined
      ? {}
      : simplify(plan.reader, answer.body, { use: 'output', size: plan.size, levels: 4 })
  if (schema.type === 'object' && schema.properties !== undefined)
    return fieldsOutput(schema, 'response.body')
  if (schema.type === 'array') return listOutput(schema, 'response.body')
  return plainOutput('result', { description: 'The answer.', ...schema }, 'response.body')
}

/** An output of one value: the unchanged body, if it is JSON. */
function plainOutput(name: string, schema: JsonSchema, expression: string, fixed?: number): PlannedOutput {
  const wanted = name === 'result' ? orNull(schema) : schema
  return {
    written: { [name]: { ...wanted, value: template(expression) } },
    schema: outputSchema({ [name]: wanted }, [name]),
    read: (body) => ({ [name]: fixed ?? body }),
  }
}

const outputSchema = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  ...(required.length > 0 && { required }),
  properties,
})

const isPlainName = (name: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name) && !keywords.includes(name)

/** The names that `plugin.yaml` allows. */
const isOutputName = (name: string): boolean =>
  /^[a-z][a-z0-9_]{0,63}$/.test(name) && !keywords.includes(name)

interface OutputField {
  readonly name: string
  readonly written: JsonObject
  readonly schema: JsonSchema
  read(holder: unknown): unknown
}

/** One output for each property of an object. A missing or null one is left out. */
function fieldsOutput(object: JsonSchema, from: string): PlannedOutput {
  const names = new UniqueNames()
  const fields = Object.entries(object.properties ?? {}).flatMap(([key, schema]): readonly OutputField[] => {
    const wanted = isOutputName(key) ? key : snakeCase(key)
    return wanted === undefined ? [] : [fieldOutput(names.take(wanted), key, schema, from)]
  })
  return {
    written: Object.fromEntries(fields.map(({ name, written }) => [name, written])),
    schema: outputSchema(Object.fromEntries(fields.map(({ name, schema }) => [name, schema]))),
    read: (body) => {
      if (!isObject(body)) throw new UnreadableBody()
      const values = fields.map((field) => [field.name, field.read(body)] as const)
      return Object.fromEntries(values.filter(([, value]) => value !== undefined))
    },
  }
}

function fieldOutput(name: string, key: string, given: JsonSchema, from: string): OutputField {
  const schema = withoutNull(given)
  const read = isPlainName(key) ? `${from}.?${key}` : `${from}[?${JSON.stringify(key)}]`
  const items = schema.items
  const isList = schema.type === 'array' && items?.properties !== undefined && !from.startsWith('item')
  if (!isList || holdsNull(items)) {
    const value = (holder: unknown) => {
      const found = valueAt(holder, key)
      return found === null && schema.type !== undefined ? undefined : found
    }
    return { name, schema, written: { ...schema, optional: true, value: template(read) }, read: value }
  }
  const each = eachOutput(schema, read, true)
  return {
    name,
    schema: each.schema,
    written: each.written,
    read: (holder) => each.read(valueAt(holder, key)),
  }
}

/** Items of several types may be other values than objects. */
const holdsNull = (items: JsonSchema): boolean =>
  Array.isArray(items.type) && items.type.some((type) => type !== 'object' && type !== 'null')

function withoutNull(schema: JsonSchema): JsonSchema {
  if (!Array.isArray(schema.type)) return schema
  const types = schema.type.filter((type) => type !== 'null')
  return { ...schema, type: types.length === 1 ? types[0] : types }
}

interface EachOutput {
  readonly written: JsonObject
  readonly schema: JsonSchema
  read(list: unknown): unknown
}

/** A list of objects, each with its known properties. */
function eachOutput(list: JsonSchema, from: string, isOptional = false): EachOutput {
  const item = fieldsOutput(list.items as JsonSchema, 'item')
  const text = list.description === undefined ? {} : { description: list.description }
  return {
    written: { ...text, ...(isOptional && { optional: true }), each: template(from), item: item.written },
    schema: { ...text, type: 'array', items: item.schema },
    read: (given) => {
      if (given === undefined || given === null) return undefined
      if (!Array.isArray(given)) throw new UnreadableBody()
      return given.map((each) => item.read(each))
    },
  }
}

/** A list in the output field `items`. */
export function listOutput(list: JsonSchema, from: string): PlannedOutput {
  const items = list.items
  const isOfObjects = items?.properties !== undefined && !holdsNull(items)
  const each = isOfObjects ? eachOutput(list, from) : undefined
  const schema = each?.schema ?? { ...withoutNull(list), type: 'array' }
  return {
    written: { items: each?.written ?? { ...schema, value: template(from) } },
    schema: outputSchema({ items: schema }, ['items']),
    read: (given) => ({ items: each === undefined ? given : each.read(given) }),
  }
}
