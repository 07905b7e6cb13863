import { isObject, objectsAt, valueAt, type JsonObject, type JsonSchema } from '../../plugin/index.ts'
import { parametersOf, type OperationParameter } from '../document/operations.ts'
import type { InnerSchema } from '../schema/flatten-schema.ts'
import { propertiesOf, simplify } from '../schema/simplify-schema.ts'
import { literal, template, type SkillPlan } from './skill-plan.ts'

/** The keys of a request that describe its body. */
export type PlannedBody = Readonly<Record<string, unknown>>

type BodyKey = 'json' | 'form' | 'multipart' | 'body'

interface FoundBody {
  readonly key: BodyKey
  readonly contentType: string
  readonly schema: InnerSchema
  readonly isRequired: boolean
}

/** Turns the body of an operation into inputs and the template that reads them. */
export function planBody(plan: SkillPlan): PlannedBody {
  const body = plan.reader.document.isSwagger2 ? bodyOfSwagger2(plan) : bodyOfOpenApi3(plan)
  if (body === undefined) return {}
  if (plan.operation.method === 'get' || plan.operation.method === 'head') {
    plan.notes.push('A GET or HEAD request has no body, so the body of the document is left out.')
    return {}
  }
  const header = /^application\/json$|^application\/x-www-form|^multipart\//.test(body.contentType)
    ? {}
    : { headers: { 'content-type': body.contentType } }
  if (body.key === 'body') {
    const schema = { type: 'string', description: `The body, as ${body.contentType}.` } as const
    const { read } = plan.addInput('body', { schema, isRequired: body.isRequired, origin: body.schema })
    return { body: template(read), ...header }
  }
  return { [body.key]: planFields(plan, body) ?? planWhole(plan, body), ...header }
}

const order: readonly (readonly [BodyKey, RegExp])[] = [
  ['json', /^application\/json\b|^\*\/\*$/i],
  ['json', /^[\w.-]+\/([\w.-]+\+)?json\b/i],
  ['form', /^application\/x-www-form-urlencoded\b/i],
  ['multipart', /^multipart\/form-data\b/i],
  ['body', /^(text\/|application\/(xml|graphql|x-ndjson|yaml)\b|[\w.-]+\/[\w.-]+\+xml\b)/i],
]

function pick(contentTypes: readonly string[]): readonly [BodyKey, string] | undefined {
  for (const [key, pattern] of order) {
    const found = contentTypes.find((type) => pattern.test(type) && type.length < 200)
    if (found !== undefined)
      return [key, found.startsWith('*') ? 'application/json' : found.replace(/;.*$/, '').trim()]
  }
  return undefined
}

function bodyOfOpenApi3(plan: SkillPlan): FoundBody | undefined {
  const { reader, operation } = plan
  const body = reader.document.resolve(valueAt(operation.raw, 'requestBody'))
  const content = valueAt(body, 'content')
  if (!isObject(content)) return undefined
  const picked = pick(Object.keys(content))
  if (picked === undefined) return refused(plan, Object.keys(content))
  const [key, contentType] = picked
  const media = Object.entries(content).find(([type]) => pick([type])?.[1] === contentType)?.[1]
  const example = valueAt(media, 'example') ?? exampleAmong(plan, valueAt(media, 'examples'))
  const schema = valueAt(media, 'schema')
  return {
    key,
    contentType,
    schema: { schema: example === undefined ? schema : { allOf: [schema], example }, trail: [] },
    isRequired: valueAt(body, 'required') === true,
  }
}

function exampleAmong({ reader }: SkillPlan, examples: unknown): unknown {
  const [first] = isObject(examples) ? Object.values(examples) : []
  return valueAt(reader.document.resolve(first), 'value')
}

function refused(plan: SkillPlan, contentTypes: readonly string[]): undefined {
  const [type = ''] = contentTypes
  plan.notes.push(
    `The body has the content type \`${type.slice(0, 60)}\`, which is left out: write it by hand.`,
  )
  return undefined
}

function bodyOfSwagger2(plan: SkillPlan): FoundBody | undefined {
  const { document } = plan.reader
  const parameters = parametersOf(document, plan.operation)
  const given = valueAt(plan.operation.raw, 'consumes') ?? valueAt(document.root, 'consumes')
  const consumes = (Array.isArray(given) ? given : []).filter((type) => typeof type === 'string')
  const whole = parameters.find((parameter) => parameter.in === 'body')
  if (whole !== undefined) {
    const picked = consumes.length === 0 ? (['json', 'application/json'] as const) : pick(consumes)
    if (picked === undefined) return refused(plan, consumes)
    const isRequired = valueAt(whole, 'required') === true
    return {
      key: picked[0],
      contentType: picked[1],
      schema: { schema: whole['schema'], trail: [] },
      isRequired,
    }
  }
  const fields = parameters.filter((parameter) => parameter.in === 'formData')
  if (fields.length === 0) return undefined
  const hasFile = fields.some((field) => field['type'] === 'file')
  const isMultipart =
    hasFile || (consumes.length > 0 && !consumes.some((type) => type.includes('urlencoded')))
  return {
    key: isMultipart ? 'multipart' : 'form',
    contentType: isMultipart ? 'multipart/form-data' : 'application/x-www-form-urlencoded',
    schema: { schema: schemaOfFields(fields), trail: [] },
    isRequired: true,
  }
}

const schemaOfFields = (fields: readonly OperationParameter[]): JsonObject => ({
  type: 'object',
  required: fields.filter((field) => field['required'] === true).map(({ name }) => name),
  properties: Object.fromEntries(
    fields.map(({ name, in: _, required: _required, ...schema }) => [
      name,
      schema['type'] === 'file' ? { ...schema, type: 'string', format: 'binary' } : schema,
    ]),
  ),
})

const maxFields = 40

/** An object becomes one input for each of its properties; undefined if the properties are not known. */
function planFields(plan: SkillPlan, body: FoundBody): unknown {
  const flat = plan.reader.flatten(body.schema)
  if (flat.types.length > 1 || flat.types[0] === 'array' || flat.properties.size === 0) return undefined
  const { example } = flat.keywords
  const count = Math.min(maxFields, Math.max(plan.size, flat.required.size))
  const share = Math.floor(plan.size / Math.min(count, flat.properties.size))
  const fields = propertiesOf(flat, count).flatMap(
    ([name, inner]): readonly (readonly [string, unknown])[] => {
      const found = plan.reader.flatten(inner)
      if (isReadOnly(plan, inner)) return []
      const isRequired = body.isRequired && flat.required.has(name)
      const [only, ...others] = Array.isArray(found.keywords['enum']) ? found.keywords['enum'] : []
      if (isRequired && others.length === 0 && typeof only === 'string') return [[name, literal(only)]]
      const schema = simplify(plan.reader, inner, { use: 'input', size: share, levels: 2 })
      const given = valueAt(example, name)
      const origin =
        given === undefined
          ? inner
          : { schema: { allOf: [inner.schema], example: given }, trail: inner.trail }
      if (body.key === 'multipart' && found.keywords['format'] === 'binary')
        return [[name, planFile(plan, name, isRequired, origin)]]
      const isSent = body.key === 'json' || (schema.type !== 'object' && schema.type !== 'array')
      const wanted: JsonSchema = isSent
        ? schema
        : { type: 'string', description: `${schema.description ?? ''} As JSON.`.trim() }
      const { read } = plan.addInput(name, { schema: wanted, isRequired, origin })
      return [[name, template(read)]]
    },
  )
  return Object.fromEntries(fields)
}

const isReadOnly = ({ reader }: SkillPlan, { schema }: InnerSchema): boolean =>
  [schema, reader.document.resolve(schema)].some((each) => valueAt(each, 'readOnly') === true) ||
  objectsAt(schema, 'allOf').some((part) => valueAt(part, 'readOnly') === true)

function planFile(plan: SkillPlan, name: string, isRequired: boolean, origin: InnerSchema): JsonObject {
  const schema = {
    type: 'string',
    description: 'The content of the file, in base64.',
    examples: ['aGVsbG8='],
  } as const
  const content = plan.addInput(`${name}_base64`, {
    schema,
    isRequired,
    origin: { schema: { example: 'aGVsbG8=' }, trail: origin.trail },
  })
  const named = { type: 'string', description: 'The name of the file.', default: 'file' } as const
  const filename = plan.addInput(`${name}_filename`, {
    schema: named,
    isRequired: false,
    origin: { schema: {}, trail: [] },
  })
  return { filename: template(filename.read), base64: template(content.read) }
}

/** A body of unknown form is one input. */
function planWhole(plan: SkillPlan, body: FoundBody): unknown {
  const schema = simplify(plan.reader, body.schema, { use: 'input', size: plan.size, levels: 2 })
  const { type = 'object' } = schema
  const empty = type === 'object' ? {} : type === 'array' ? [] : undefined
  const isRequired = body.isRequired || empty === undefined
  const whole: JsonSchema = {
    ...schema,
    type,
    description: schema.description ?? 'The body of the request.',
    ...(!isRequired && { default: empty }),
  }
  const { read } = plan.addInput('body', { schema: whole, isRequired, origin: body.schema })
  if (body.key === 'json') return template(read)
  plan.notes.push('The fields of the form are not known: write them by hand.')
  return {}
}

/** Whether a content type is that of JSON. */
export const isJsonType = (contentType: string): boolean => pick([contentType])?.[0] === 'json'
