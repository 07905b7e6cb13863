import { textAt, valueAt, type JsonSchema } from '../../plugin/index.ts'
import { headerProblem } from '../../skill/http/headers.ts'
import { cleanText } from '../document/clean-text.ts'
import { parametersOf, type OperationParameter } from '../document/operations.ts'
import type { InnerSchema } from '../schema/flatten-schema.ts'
import { simplifyFlat } from '../schema/simplify-schema.ts'
import { isCredential } from './credentials.ts'
import { literal, template, type SkillPlan } from './skill-plan.ts'

/** The parts of a request, as `plugin.yaml` writes them. */
export interface PlannedRequest {
  readonly path: string | readonly string[]
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, unknown>>
}

/** Headers that the client sets itself; OpenAPI also ignores them as parameters. */
const ownHeaders = ['accept', 'content-type', 'authorization', 'user-agent', 'cookie']

/** Turns the parameters of an operation into inputs and the request that reads them. */
export function planParameters(plan: SkillPlan, left: ReadonlySet<string>): PlannedRequest {
  const parameters = parametersOf(plan.reader.document, plan.operation)
  const path = planPath(plan, parameters)
  const query: Record<string, unknown> = { ...path.query }
  const headers: Record<string, unknown> = {}
  for (const parameter of wanted(parameters, plan.size)) {
    const { name, in: place } = parameter
    if (place === 'query' && !left.has(name)) Object.assign(query, planQuery(plan, parameter))
    if (isCredential(parameter)) continue
    const lower = name.toLowerCase()
    const isOwn = ownHeaders.includes(lower) || headerProblem(lower, '') !== undefined
    if (place === 'header' && !isOwn && /^[\w-]{1,100}$/.test(name))
      headers[name] = planValue(plan, parameter)
    if (place === 'header' && lower === 'accept') headers[name] = onlyChoice(plan, parameter)
  }
  return { path: path.path, query: defined(query), headers: defined(headers) }
}

/** Required parameters, and as many optional ones as there is room for; deprecated ones are left out. */
function wanted(parameters: readonly OperationParameter[], size: number): readonly OperationParameter[] {
  const isRequired = (parameter: OperationParameter) => valueAt(parameter, 'required') === true
  const optional = parameters.filter(
    (parameter) =>
      !isRequired(parameter) && valueAt(parameter, 'deprecated') !== true && parameter.in !== 'path',
  )
  const kept = new Set(optional.slice(0, Math.min(size, 25)))
  return parameters.filter((parameter) => isRequired(parameter) || kept.has(parameter))
}

const defined = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** The schema of a parameter: its own keywords in Swagger 2, `schema` or `content` in OpenAPI 3. */
function schemaOf(parameter: OperationParameter): InnerSchema {
  const content = valueAt(parameter, 'content')
  const inContent = Object.values(typeof content === 'object' && content !== null ? content : {})[0]
  const schema = valueAt(parameter, 'schema') ?? valueAt(inContent, 'schema')
  const { name: _, in: _in, required: _required, $ref: _ref, ...own } = parameter
  return { schema: schema ?? own, trail: [] }
}

function simplified(
  plan: SkillPlan,
  parameter: OperationParameter,
): { schema: JsonSchema; origin: InnerSchema } {
  const origin = schemaOf(parameter)
  const flat = plan.reader.flatten(origin)
  const scalars = flat.types.filter((type) => type !== 'object' && type !== 'array')
  // Of a choice between a value and a list or an object, the value is easier to send.
  const types = scalars.length > 0 ? scalars : flat.types.length > 0 ? flat.types.slice(0, 1) : ['string']
  const options = { use: 'input', size: plan.size, levels: 2 } as const
  const { description, ...schema } = simplifyFlat(plan.reader, { ...flat, types }, options)
  const text = cleanText(textAt(parameter, 'description'), 200) ?? description
  const example = valueAt(parameter, 'example') ?? firstExample(plan, parameter)
  return {
    schema: { ...schema, ...(text !== undefined && { description: text }) },
    origin: example === undefined ? origin : { schema: { allOf: [origin.schema], example }, trail: [] },
  }
}

function firstExample({ reader }: SkillPlan, parameter: OperationParameter): unknown {
  const examples = valueAt(parameter, 'examples')
  const [first] = Object.values(typeof examples === 'object' && examples !== null ? examples : {})
  return valueAt(reader.document.resolve(first), 'value')
}

/** The only value that a required parameter can have. */
function onlyChoice(plan: SkillPlan, parameter: OperationParameter): unknown {
  const { keywords } = plan.reader.flatten(schemaOf(parameter))
  const choices = Array.isArray(keywords['enum']) ? keywords['enum'] : [keywords['default']]
  const [only] = choices
  return choices.length === 1 && typeof only === 'string' ? literal(only) : undefined
}

function planValue(plan: SkillPlan, parameter: OperationParameter): unknown {
  const isRequired = valueAt(parameter, 'required') === true
  const only = isRequired ? onlyChoice(plan, parameter) : undefined
  if (only !== undefined) return only
  const { schema, origin } = simplified(plan, parameter)
  const type = schema.type
  if (type === 'object') {
    plan.notes.push(`The parameter \`${cleanText(parameter.name, 60)}\` is an object, which is left out.`)
    return undefined
  }
  const list = type === 'array'
  const items = list && schema.items?.type === undefined ? { items: { type: 'string' } } : {}
  const declared = { ...schema, ...items } as JsonSchema
  const { read } = plan.addInput(parameter.name, { schema: declared, isRequired, origin })
  const separator = list ? separatorOf(plan, parameter) : undefined
  if (separator === undefined) return template(read)
  const isText = declared.items?.type === 'string'
  const joined = (value: string) =>
    `${value}${isText ? '' : '.map(part, string(part))'}.join(${JSON.stringify(separator)})`
  return template(isRequired ? joined(read) : `${read}.optMap(list, ${joined('list')})`)
}

/** What separates the items of a list; undefined where the parameter is repeated. */
function separatorOf({ reader }: SkillPlan, parameter: OperationParameter): string | undefined {
  const separators = {
    csv: ',',
    ssv: ' ',
    tsv: '\t',
    pipes: '|',
    pipeDelimited: '|',
    spaceDelimited: ' ',
  } as const
  const isForm = parameter.in === 'query' || parameter.in === 'formData'
  const style = textAt(parameter, reader.document.isSwagger2 ? 'collectionFormat' : 'style')
  const found = separators[(style ?? 'csv') as keyof typeof separators]
  if (reader.document.isSwagger2) return style === 'multi' && isForm ? undefined : (found ?? ',')
  const explode = valueAt(parameter, 'explode') ?? (style === null || style === 'form')
  return explode === true && isForm ? undefined : (found ?? ',')
}

/** A parameter of the query; an object in the style `deepObject` becomes one parameter for each property. */
function planQuery(plan: SkillPlan, parameter: OperationParameter): Readonly<Record<string, unknown>> {
  const isDeep = textAt(parameter, 'style') === 'deepObject'
  const flat = plan.reader.flatten(schemaOf(parameter))
  if (!isDeep || flat.properties.size === 0) return { [parameter.name]: planValue(plan, parameter) }
  const isPlain = flat.types.length === 1
  if (!isPlain) return { [parameter.name]: planValue(plan, parameter) }
  return Object.fromEntries(
    [...flat.properties].slice(0, Math.min(plan.size, 20)).map(([name, { schema }]) => {
      const isRequired = valueAt(parameter, 'required') === true && flat.required.has(name)
      const part = { name: `${parameter.name}[${name}]`, in: 'query', required: isRequired, schema }
      return [part.name, planValue(plan, part)]
    }),
  )
}

/** The path as a text, or as segments with inputs. */
function planPath(
  plan: SkillPlan,
  parameters: readonly OperationParameter[],
): Pick<PlannedRequest, 'path'> & { readonly query: Readonly<Record<string, unknown>> } {
  const [path = '/', search = ''] = plan.operation.path.replace(/#.*$/, '').split(/\?(.*)/s, 2)
  const query = Object.fromEntries(
    [...new URLSearchParams(search)]
      .filter(([, value]) => !/[{}]/.test(value))
      .map(([name, value]) => [name, literal(value)]),
  )
  if (!/\{[^{}]+\}/.test(path)) return { path: path === '/' ? path : path.replace(/(?<=.)\/+$/, '/'), query }
  if (path.endsWith('/'))
    plan.notes.push('The path ends with `/`, which is left out: check that the other system accepts it.')
  const reads = new Map<string, string>()
  const segments = path.split('/').filter((segment) => segment !== '')
  const planned = segments.map((segment) =>
    segment.split(/(\{[^{}]+\})/).reduce((text, part) => {
      const [, name] = /^\{([^{}]+)\}$/.exec(part) ?? []
      if (name === undefined) return text + String(literal(part))
      const read = reads.get(name) ?? planSegment(plan, parameters, name)
      reads.set(name, read)
      return text + template(read)
    }, ''),
  )
  return { path: planned, query }
}

function planSegment(plan: SkillPlan, parameters: readonly OperationParameter[], name: string): string {
  const found = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)
  const parameter = found ?? { name, in: 'path', schema: { type: 'string' } }
  const { schema, origin } = simplified(plan, parameter)
  const { type, items: _, ...rest } = schema
  const isNumber = type === 'integer' || type === 'number'
  const declared = { type: isNumber ? type : 'string', ...rest } as JsonSchema
  return plan.addInput(name, { schema: declared, isRequired: true, origin }).read
}
