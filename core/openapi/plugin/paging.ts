import { isObject, numberAt, valueAt, type JsonObject, type JsonSchema } from '../../plugin/index.ts'
import { parametersOf, type OperationParameter } from '../document/operations.ts'
import { simplify } from '../schema/simplify-schema.ts'
import {
  at,
  expressionOf,
  listPlace,
  placeNamed,
  placesIn,
  plain,
  withAt,
  withoutAt,
  type AnswerPlace,
} from './answer-places.ts'
import { listOutput, type PlannedAnswer, type PlannedOutput } from './output.ts'
import { template, type SkillPlan } from './skill-plan.ts'

/** How an operation reads a list page after page. */
export interface PlannedPaging {
  readonly written: JsonObject
  /** The parameters that the pages take. */
  readonly parameters: ReadonlySet<string>
  readonly output: PlannedOutput
  /** The body of an answer that is the last page. */
  lastPage(body: unknown): unknown
}

// Names as public documents write them, without case and separators.
const sizeNames = [
  'limit',
  'perpage',
  'pagesize',
  'size',
  'maxresults',
  'pagelimit',
  'page[size]',
  'page[limit]',
  '$top',
  'max',
  'top',
]
const offsetNames = ['offset', 'skip', 'startat', 'start', 'page[offset]', '$skip', 'from']
const pageNames = ['page', 'pagenumber', 'page[number]']
const cursorNames = [
  'cursor',
  'after',
  'pagetoken',
  'nexttoken',
  'continue',
  'continuation',
  'page[cursor]',
  'page[after]',
  'nextcursor',
  'nextpagetoken',
  'marker',
  'bookmark',
  'scrollid',
]
const nextCursorNames = [
  'nextcursor',
  'nextpagetoken',
  'nexttoken',
  'cursor',
  'after',
  'continue',
  'next',
  'endcursor',
  'nextpage',
  'bookmark',
  'nextmarker',
  'scrollid',
]
const nextAddressNames = ['next', 'nextlink', '@odata.nextlink', 'nextpage', 'nexturl', 'nextpageurl']
const totalNames = ['total', 'totalcount', 'totalresults', 'totalitems', 'totalhits', 'count', '@odata.count']
const pagingNames = [...offsetNames, ...pageNames, ...cursorNames]
const defaultSize = 100

/** Recognizes paging; undefined where the document does not make it clear. */
export function planPaging(plan: SkillPlan, answer: PlannedAnswer): PlannedPaging | undefined {
  if (plan.operation.method !== 'get' || answer.body === undefined) return undefined
  const places = placesIn(plan, answer.body)
  const list = listPlace(plan, places)
  const schema = list && simplify(plan.reader, list.inner, { use: 'output', size: plan.size, levels: 4 })
  if (list === undefined || schema?.type !== 'array') return undefined
  const queries = parametersOf(plan.reader.document, plan.operation).filter((each) => each.in === 'query')
  const size = queries.find(({ name }) => sizeNames.includes(plain(name)))
  const kind = kindOf(queries, size, places, answer)
  if (kind === undefined) {
    const sign = queries.find(({ name }) => pagingNames.includes(plain(name)))
    if (sign !== undefined)
      plan.notes.push(
        `The list seems to come in pages (\`${sign.name}\`), but the document does not say how: declare \`paging\`.`,
      )
    return undefined
  }
  const { written, parameter, end } = kind
  const total = kind.isCounted ? totalPlace(places) : undefined
  return {
    parameters: new Set([parameter, size?.name].filter((name) => name !== undefined)),
    written: {
      ...written,
      ...(size !== undefined && { size: { parameter: size.name, value: sizeOf(plan, size) } }),
      items: template(expressionOf(list.path, true)),
      ...(total && { total: template(expressionOf(total.path)) }),
      ...identity(list, plan, kind.isCounted),
      limit: template('input.limit'),
    },
    output: pagedOutput(schema, list.path, total !== undefined),
    lastPage: (body) => {
      const ended = end === undefined ? body : withoutAt(body, end.path)
      const found = at(ended, list.path)
      const whole = Array.isArray(found) ? ended : withAt(ended, list.path, [])
      return total === undefined ? whole : withAt(whole, total.path, Array.isArray(found) ? found.length : 0)
    },
  }
}

/** The input that every skill with paging has. */
export const limitInput = {
  type: 'integer',
  description: 'Most items to read.',
  minimum: 1,
  maximum: 10_000,
  default: 100,
} as const satisfies JsonSchema

interface Kind {
  readonly written: JsonObject
  readonly parameter?: string
  /** The cursor or address of the next page; the last page has none. */
  readonly end?: AnswerPlace
  /** Whether a total shows the end of the list. */
  readonly isCounted: boolean
}

function kindOf(
  queries: readonly OperationParameter[],
  size: OperationParameter | undefined,
  places: readonly AnswerPlace[],
  { headers }: PlannedAnswer,
): Kind | undefined {
  const named = (names: readonly string[]) => queries.find(({ name }) => names.includes(plain(name)))
  const cursor = named(cursorNames)
  const next = cursor && placeNamed(places, nextCursorNames, ['string', 'integer'])
  if (cursor && next) {
    const written = { cursor: cursor.name, value: template(expressionOf(next.path)) }
    return { written, parameter: cursor.name, end: next, isCounted: false }
  }
  const page = named(pageNames)
  const hasLink = isObject(headers) && Object.keys(headers).some((name) => name.toLowerCase() === 'link')
  if (hasLink)
    return {
      written: { link: true },
      isCounted: false,
      ...((page ?? cursor) ? { parameter: (page ?? cursor)!.name } : {}),
    }
  const offset = named(offsetNames)
  if (offset && size) return { written: { offset: offset.name }, parameter: offset.name, isCounted: true }
  if (page && size) {
    const first = numberAt(schemaOf(page), 'minimum') ?? numberAt(schemaOf(page), 'default')
    return {
      written: { page: page.name, ...(first === 0 && { first }) },
      parameter: page.name,
      isCounted: true,
    }
  }
  const address = placeNamed(places, nextAddressNames, ['string'])
  if (address === undefined || (page ?? offset ?? cursor) !== undefined) return undefined
  return { written: { next: template(expressionOf(address.path)) }, end: address, isCounted: false }
}

const schemaOf = (parameter: OperationParameter): unknown => valueAt(parameter, 'schema') ?? parameter

/** The size of a page: the largest that the document allows, up to 100. */
function sizeOf({ reader }: SkillPlan, size: OperationParameter): number {
  const { keywords } = reader.flatten({ schema: schemaOf(size), trail: [] })
  const most =
    numberAt(keywords, 'maximum') ??
    Number(
      /\b(?:max(?:imum)?|up to)\b\D{0,30}?(\d{1,4})\b/i.exec(String(size['description']))?.[1] ?? defaultSize,
    )
  const usual = numberAt(keywords, 'default') ?? 1
  return Math.max(Math.min(most, defaultSize), Math.min(usual, defaultSize), 1)
}

const totalPlace = (places: readonly AnswerPlace[]): AnswerPlace | undefined =>
  placeNamed(
    places,
    totalNames.filter((name) => name !== 'count'),
    ['integer', 'number'],
  )

/** A list with numbered pages may change while it is read, so that items could be repeated. */
function identity({ inner }: AnswerPlace, { reader }: SkillPlan, isCounted: boolean): JsonObject {
  const items = reader.flatten(inner).items
  const item = items && reader.flatten(items)
  const id = item?.properties.get('id')
  const isPlain = id && reader.flatten(id).types.every((type) => type === 'string' || type === 'integer')
  return isCounted && isPlain === true && item?.required.has('id') === true ? { id: template('item.id') } : {}
}

function pagedOutput(list: JsonSchema, path: readonly string[], hasTotal: boolean): PlannedOutput {
  const whole = listOutput(list, 'items')
  const { written, schema } = whole
  const more = {
    complete: { description: 'Whether these are all items.', type: 'boolean', value: template('complete') },
  } as const
  const total = {
    description: 'The total number of items.',
    type: ['integer', 'null'],
    value: template('total'),
  } as const
  return {
    written: { ...written, ...more, ...(hasTotal && { total }) },
    schema: {
      ...schema,
      properties: {
        ...schema.properties,
        complete: { type: 'boolean' },
        ...(hasTotal && { total: { type: ['integer', 'null'] } }),
      },
    },
    read: (body) => {
      const found = at(body, path)
      const items = Array.isArray(found) ? found : []
      return { ...whole.read(items), complete: true, ...(hasTotal && { total: items.length }) }
    },
  }
}
