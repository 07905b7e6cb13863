import { textAt, valueAt, type JsonObject } from '../../plugin/index.ts'
import type { ApiDocument } from '../document/api-document.ts'
import { cleanText } from '../document/clean-text.ts'
import { snakeCase, type UniqueNames } from '../document/names.ts'
import type { ApiMethod, ApiOperation } from '../document/operations.ts'
import { SchemaReader } from '../schema/flatten-schema.ts'
import { planBody } from './body.ts'
import { planExample, planMissing, type PlannedExample } from './examples.ts'
import { answerOf, planOutput } from './output.ts'
import { limitInput, planPaging } from './paging.ts'
import { planParameters } from './parameters.ts'
import { fieldOf, SkillPlan } from './skill-plan.ts'

/** A skill as `plugin.yaml` writes it, with its example files. */
export interface PlannedSkill {
  readonly name: string
  readonly operation: ApiOperation
  readonly title: string
  readonly written: JsonObject
  /** The comment beside `repeat`, for writes. */
  readonly comment: string | undefined
  /** By the name of the file. */
  readonly examples: ReadonlyMap<string, PlannedExample>
  readonly notes: readonly string[]
}

/** What all skills of a plugin have in common. */
export interface PluginSurroundings {
  readonly document: ApiDocument
  readonly names: UniqueNames
  /** How many properties of schemas to keep. */
  readonly size: number
  /** The vendor's documentation, for operations without their own page. */
  readonly docs: string
  /** Where the examples come from. */
  readonly source: string
  /** Whether missing objects get examples too. */
  readonly hasRoom: boolean
}

/** Turns an operation into a skill. */
export function planSkill(operation: ApiOperation, surroundings: PluginSurroundings): PlannedSkill {
  const { document, names, size, docs, source, hasRoom } = surroundings
  const plan = new SkillPlan(new SchemaReader(document), operation, size)
  const name = names.take(
    snakeCase(operation.id) ?? snakeCase(`${operation.method}_${operation.path}`) ?? 'call',
  )
  const answer = answerOf(plan)
  const paging = planPaging(plan, answer)
  const { path, query, headers } = planParameters(plan, paging?.parameters ?? new Set())
  const { headers: bodyHeaders, ...body } = planBody(plan)
  if (paging)
    plan.addInput('limit', { schema: limitInput, isRequired: false, origin: { schema: {}, trail: [] } })
  if (paging && plan.inputs.at(-1)!.name !== 'limit')
    throw new TypeError(`the input limit of ${operation.path} exists`)
  const output = paging?.output ?? planOutput(plan, answer)
  const isMissable =
    isNotFound(operation) && paging === undefined && output.schema.properties?.['found'] === undefined
  const example = planExample(plan, answer, output, (body) => (paging ? paging.lastPage(body) : body))
  const missing = isMissable && hasRoom ? planMissing(plan, example) : undefined
  const found = isMissable
    ? { ...example, output: { found: true, ...(example['output'] as JsonObject) } }
    : example
  const examples = new Map([
    [`${name}.json`, found],
    ...(missing ? [[`${name}-not-found.json`, missing] as const] : []),
  ])
  const allHeaders = { ...headers, ...(bodyHeaders as JsonObject | undefined) }
  const title = titleOf(operation)
  return {
    name,
    operation,
    title,
    written: {
      name,
      title,
      description: cleanText(textAt(operation.raw, 'description'), 300) ?? `${title}.`,
      docs: secureAddress(valueAt(valueAt(operation.raw, 'externalDocs'), 'url')) ?? docs,
      ...effects[operation.method],
      ...(plan.inputs.length > 0 && {
        input: Object.fromEntries(plan.inputs.map((input) => [input.name, fieldOf(input)])),
      }),
      request: {
        [operation.method]: path,
        ...(Object.keys(query).length > 0 && { query }),
        ...(Object.keys(allHeaders).length > 0 && { headers: allHeaders }),
        ...body,
      },
      ...(isMissable && { not_found: 404 }),
      ...(paging && { paging: paging.written }),
      output: output.written,
      examples: [...examples.keys()].map((file) => `examples/${file}`),
    },
    comment: commentOf(operation),
    examples: new Map(
      [...examples].map(([file, content]) => [file, { title: content['title'], source, ...content }]),
    ),
    notes: plan.notes,
  }
}

const effects: Readonly<Record<ApiMethod, JsonObject>> = {
  get: { effect: 'read' },
  head: { effect: 'read' },
  put: { effect: 'write', repeat: 'safe' },
  delete: { effect: 'write', repeat: 'safe' },
  post: { effect: 'write', repeat: 'never' },
  patch: { effect: 'write', repeat: 'never' },
}

function commentOf({ method, id, path }: ApiOperation): string | undefined {
  if (method === 'get' || method === 'head') return undefined
  if (method === 'put')
    return 'PUT: repeated after an interruption. If a second request has a second effect, write `repeat: never`.'
  if (method === 'delete')
    return 'DELETE: repeated after an interruption. Add `destructive: deletion` if people depend on the object.'
  if (/search|query|lookup|find|list|count/i.test(`${id} ${path}`))
    return `${method.toUpperCase()}: if it only reads, write \`effect: read\` and remove this line.`
  return `${method.toUpperCase()}: after an interruption a person decides. Write \`safe\` if it may happen twice, \`verify\` if a request can check whether it happened.`
}

/** Whether the document says that the object may not exist. */
function isNotFound({ method, path, raw }: ApiOperation): boolean {
  return method === 'get' && path.includes('{') && valueAt(valueAt(raw, 'responses'), '404') !== undefined
}

function titleOf({ summary, id, method, path }: ApiOperation): string {
  const words = (snakeCase(id) ?? snakeCase(`${method}_${path}`) ?? method).replaceAll('_', ' ')
  const title = (cleanText(summary, 80) ?? words).replace(/\.$/, '')
  return `${title[0]!.toUpperCase()}${title.slice(1)}`
}

/** An https address with a path; undefined for anything else. */
export function secureAddress(value: unknown): string | undefined {
  const url = typeof value === 'string' && value.length < 500 ? URL.parse(value.trim()) : null
  return url?.protocol === 'https:' && url.username === '' && !/\$\{\{/.test(url.href) ? url.href : undefined
}
