import { hintForDuration, timeHint } from '../language/durations.ts'
import { describeType, explainMismatch, membersOf, type Type } from '../../expression/index.ts'
import type { TypedTemplate } from './typed-template.ts'

/** A type in words: `a string`, `a list of numbers`. */
export function typeInWords(type: Type): string {
  if (type.kind === 'union') {
    const members = type.members.map((member) => (member.kind === 'null' ? 'null' : typeInWords(member)))
    return [...new Set(members)].join(' or ')
  }
  if (type.kind === 'list' && type.element.kind !== 'dyn') return `a list of ${plural(type.element)}`
  if (type.kind === 'string' && type.literal !== true && type.values && type.values.length <= 10)
    return `one of ${type.values.join(', ')}`
  if (type.kind === 'number') return type.whole ? 'a whole number' : 'a number'
  return words[type.kind]?.[0] ?? describeType(type)
}

function plural(type: Type): string {
  if (type.kind === 'number') return type.whole ? 'whole numbers' : 'numbers'
  return words[type.kind]?.[1] ?? 'values'
}

const words: Readonly<Partial<Record<Type['kind'], readonly [one: string, many: string]>>> = {
  string: ['a string', 'strings'],
  int: ['a whole number', 'whole numbers'],
  double: ['a number', 'numbers'],
  bool: ['true or false', 'booleans'],
  timestamp: ['a point in time', 'points in time'],
  duration: ['a duration', 'durations'],
  list: ['a list', 'lists'],
  map: ['a map', 'maps'],
  object: ['a map', 'maps'],
  null: ['nothing', 'nulls'],
  dyn: ['anything', 'values'],
}

/** A value in words; an expression by its type. */
export function valueInWords({ template, type, items, entries }: TypedTemplate): string {
  if (template.kind === 'expression') return `an expression that gives ${typeInWords(type)}`
  if (items) return 'a list'
  if (entries) return 'a map'
  if (template.kind !== 'literal') return 'a string'
  const { value } = template
  if (value === null) return 'nothing'
  if (typeof value === 'string') return 'a string'
  return typeof value === 'number' ? `the number ${numberInWords(value)}` : JSON.stringify(value)
}

/** A number as text; zero keeps its sign. */
export const numberInWords = (value: number): string => (Object.is(value, -0) ? '-0' : String(value))

/** A hint for a literal of the wrong type, if the intention is clear. */
export function literalHint({ template, type }: TypedTemplate, expected: Type): string | undefined {
  if (template.kind !== 'literal') return undefined
  const { value } = template
  const members = membersOf(expected)
  const wants = (...kinds: readonly Type['kind'][]) => members.some(({ kind }) => kinds.includes(kind))
  if (wants('timestamp')) return timeHint
  if (wants('duration') && (typeof value === 'string' || typeof value === 'number'))
    return hintForDuration(value)
  if (typeof value === 'number' || typeof value === 'boolean') {
    const fits = members.some(
      (member) => member.kind === 'string' && member.values?.includes(String(value)) !== false,
    )
    if (fits) return `put it into quotes: "${typeof value === 'number' ? numberInWords(value) : value}"`
  }
  const element = members.find((member) => member.kind === 'list')?.element
  if (element && template.value !== null && explainMismatch(type, element) === undefined)
    return `write [${inList(value)}]`
  if (typeof value !== 'string') return undefined
  if (wants('number', 'int', 'double') && /^-?\d+(?:\.\d+)?$/.test(value))
    return `remove the quotes: ${value}`
  if (!wants('bool')) return undefined
  if (value === 'true' || value === 'false') return `remove the quotes: ${value}`
  if (/^(?:yes|on)$/i.test(value)) return 'write true'
  return /^(?:no|off)$/i.test(value) ? 'write false' : undefined
}

/** An item of a flow list: quoted if YAML would read it as something else. */
const inList = (value: unknown): string =>
  typeof value === 'string' && /^[A-Za-z][\w./@-]*$/.test(value) && !/^(?:true|false|null)$/.test(value)
    ? value
    : JSON.stringify(value)
