import {
  bool,
  dyn,
  integer,
  list,
  nullable,
  withoutNull,
  type Program,
  type Type,
} from '../../expression/index.ts'
import type { Template } from '../../playbook/language/playbook.ts'
import {
  readChoice,
  readDuration,
  readFields,
  readNumber,
  readText,
  type Fields,
} from '../../playbook/template/fields.ts'
import { withoutOptionals } from '../../playbook/template/type-forms.ts'
import type { Entry } from '../../playbook/yaml/document.ts'
import type { DeclaredPaging, DeclaredPoll } from '../language/declared.ts'
import { pluginGrammar } from '../language/plugin-keys.ts'
import { pagingKinds, parameterPlaces, requestBounds } from '../language/request-keys.ts'
import {
  readCondition,
  readExpression,
  readShownText,
  readTemplate,
  responseType,
  type Names,
  type PluginReading,
} from './reading.ts'
import { onlyOneOf, readRequest } from './read-request.ts'

const defaultLimit = 100
const defaultSize = 100

/** Reads `paging`; undefined if a part of it is missing, which has been reported. */
export function readPaging(
  reading: PluginReading,
  names: Names,
  answered: Names,
  entry: Entry,
): DeclaredPaging | undefined {
  const { problems } = reading
  const fields = readFields(problems, entry.value, pluginGrammar.paging)
  if (fields === undefined) return undefined
  const kind = onlyOneOf(reading, fields, pagingKinds, entry.value, '`paging` needs one of')
  const next = readNext(reading, answered, fields, kind)
  const isNamed = kind === 'offset' || kind === 'page' || kind === 'cursor'
  const parameter = isNamed ? readText(problems, fields.get(kind)!) : ''
  const firstEntry = fields.get('first')
  const first = firstEntry && readNumber(problems, firstEntry, [0, 1])
  const itemsEntry = fields.get('items')
  const items = itemsEntry && readExpression(reading, answered, itemsEntry)
  const totalEntry = fields.get('total')
  const total = totalEntry && readExpression(reading, answered, totalEntry)
  const idEntry = fields.get('id')
  const id = idEntry && readExpression(reading, { item: elementOf(items?.type) }, idEntry)
  const size = readSize(reading, fields.get('size'))
  const placeEntry = fields.get('in')
  const place = (placeEntry && readChoice(problems, placeEntry, parameterPlaces)) ?? 'query'
  const limit = readLimit(reading, names, fields)
  if (kind === undefined || parameter === undefined || items === undefined) return undefined
  if ((kind === 'cursor' || kind === 'next') && next === undefined) return undefined
  return { kind, parameter, place, next, first: first ?? 1, ...size, items, total, id, limit }
}

/** Reads how the next page is requested. */
function readNext(
  reading: PluginReading,
  answered: Names,
  fields: Fields,
  kind: DeclaredPaging['kind'] | undefined,
): Program | undefined {
  const entry = fields.get(kind === 'cursor' ? 'value' : 'next')
  if (kind === 'next' || kind === 'cursor') {
    if (entry !== undefined) return readExpression(reading, answered, entry)
    const hint = 'write value: "${{ response.body.?next }}"'
    reading.problems.add('E105', '`paging` with `cursor` needs `value`', fields.get('cursor')!.key, hint)
  }
  return undefined
}

function readSize(
  { problems }: PluginReading,
  entry: Entry | undefined,
): Pick<DeclaredPaging, 'size' | 'sizeParameter'> {
  const fields = entry && readFields(problems, entry.value, pluginGrammar.pageSize)
  const value = fields?.get('value')
  const parameter = fields?.get('parameter')
  return {
    size: (value && readNumber(problems, value, requestBounds.pageSize)) ?? defaultSize,
    sizeParameter: parameter && readText(problems, parameter),
  }
}

function readLimit(reading: PluginReading, names: Names, fields: Fields): Template {
  const entry = fields.get('limit')
  if (entry === undefined) return { kind: 'literal', value: defaultLimit }
  const isNumber = entry.value.kind === 'scalar' && typeof entry.value.value === 'number'
  if (isNumber) readNumber(reading.problems, entry, requestBounds.items)
  return readTemplate(reading, names, entry.value).template
}

export const elementOf = (type: Type | undefined): Type => {
  const plain = type && withoutNull(withoutOptionals(type))
  return plain?.kind === 'list' ? plain.element : dyn
}

/** The names of the output of a skill with paging; `items` is the type of the list. */
export const pagingNames = (items: Type | undefined): Names => ({
  items: list(elementOf(items)),
  complete: bool,
  total: nullable(integer),
})

const defaultPoll = { everyMs: 5000, timeoutMs: 600_000 }

/** Reads `poll`; undefined if a part of it is missing, which has been reported. */
export function readPoll(
  reading: PluginReading,
  names: Names,
  body: Type,
  entry: Entry,
): DeclaredPoll | undefined {
  const { problems } = reading
  const fields = readFields(problems, entry.value, pluginGrammar.poll)
  const [requestEntry, untilEntry, failedEntry, messageEntry, everyEntry, timeoutEntry] = [
    'request',
    'until',
    'failed',
    'message',
    'every',
    'timeout',
  ].map((key) => fields?.get(key))
  const asked = requestEntry ? { ...names, submitted: responseType(reading) } : names
  const answered = { ...asked, response: responseType(reading, body) }
  const request = requestEntry && readRequest(reading, asked, requestEntry.value)?.request
  const until = untilEntry && readCondition(reading, answered, untilEntry)
  const failed = failedEntry && readCondition(reading, answered, failedEntry)
  const message = messageEntry && readShownText(reading, answered, messageEntry)
  const everyMs = (everyEntry && readDuration(problems, everyEntry)) ?? defaultPoll.everyMs
  const timeoutMs = (timeoutEntry && readDuration(problems, timeoutEntry)) ?? defaultPoll.timeoutMs
  if (until === undefined || (requestEntry !== undefined && request === undefined)) return undefined
  return { request, until, failed, message, everyMs, timeoutMs }
}
