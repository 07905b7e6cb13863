import { bool, dyn, integer, list, nullable, withoutNull, type Type } from '../../expression/index.ts'
import type { Template } from '../../playbook/language/playbook.ts'
import { readFields, readNumber, readText, type Fields } from '../../playbook/template/fields.ts'
import { withoutOptionals } from '../../playbook/template/type-forms.ts'
import type { Entry } from '../../playbook/yaml/document.ts'
import type { DeclaredPaging } from '../language/declared.ts'
import { pluginGrammar } from '../language/plugin-keys.ts'
import { pagingKinds, requestBounds } from '../language/request-keys.ts'
import { readExpression, readTemplate, type Names, type PluginReading } from './reading.ts'
import { onlyOneOf } from './read-request.ts'

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
  const parameter = kind && readText(problems, fields.get(kind)!)
  const firstEntry = fields.get('first')
  const first = firstEntry && readNumber(problems, firstEntry, [0, 1])
  const itemsEntry = fields.get('items')
  const items = itemsEntry && readExpression(reading, answered, itemsEntry)
  const totalEntry = fields.get('total')
  const total = totalEntry && readExpression(reading, answered, totalEntry)
  const idEntry = fields.get('id')
  const id = idEntry && readExpression(reading, { item: elementOf(items?.type) }, idEntry)
  const size = readSize(reading, fields.get('size'))
  const limit = readLimit(reading, names, fields)
  if (kind === undefined || parameter === undefined || items === undefined) return undefined
  return { kind, parameter, first: first ?? 1, ...size, items, total, id, limit }
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

const elementOf = (type: Type | undefined): Type => {
  const plain = type && withoutNull(withoutOptionals(type))
  return plain?.kind === 'list' ? plain.element : dyn
}

/** The names of the output of a skill with paging. */
export const pagingNames = (paging: DeclaredPaging | undefined): Names => ({
  items: list(elementOf(paging?.items.type)),
  complete: bool,
  total: nullable(integer),
})
