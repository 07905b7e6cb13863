import { kindOfTime } from '../values/text-times.ts'

/**
 * Static types of expressions. They follow JSON rather than CEL: object fields may be optional, values may be
 * null, and strings may be limited to an enumeration.
 */

/** A field of an {@link ObjectType}. */
export interface Property {
  readonly type: Type
  /** The field may be missing: reading it needs `has()` or `.?`. */
  readonly optional?: boolean | undefined
}

/** Marks of any type. */
interface Marked {
  /** `x-sensitive` in the schema: values derived from it are redacted and kept out of messages. */
  readonly sensitive?: true | undefined
  /**
   * For a time: derived from a string that only a schema outside the playbook declares as a time. Stored
   * values of it are read as strings, since the result of an expression must not depend on that schema.
   */
  readonly assumed?: true | undefined
}

/** A JSON object with known fields. */
export interface ObjectType extends Marked {
  readonly kind: 'object'
  readonly properties: ReadonlyMap<string, Property>
  /** Type of the fields that are not listed, which are optional; undefined: there are no others. */
  readonly additional: Type | undefined
}

/** Text; `values` limits it to an enumeration, `format` is the JSON Schema format. */
export interface StringType extends Marked {
  readonly kind: 'string'
  readonly values?: readonly string[] | undefined
  readonly format?: string | undefined
  /** `values` come from a literal, not from a schema. */
  readonly literal?: boolean | undefined
}

/** A JSON number: a double, or an int where the data holds an integer beyond 2^53. */
interface NumberType extends Marked {
  readonly kind: 'number'
  /** The schema promises whole numbers. */
  readonly whole: boolean
  readonly values?: readonly number[] | undefined
  /** Milliseconds since 1970, while `timestamp()` expects seconds. */
  readonly unit?: 'epoch_ms' | undefined
}

/** A static type. `dyn` is unknown: every operation is checked at run time. */
export type Type = Marked &
  /** `shape` only tells where the value may be sensitive, such as after merging a list with an empty one. */
  (
    | { readonly kind: 'dyn'; readonly shape?: Type | undefined }
    | { readonly kind: 'null' }
    | { readonly kind: 'bool' }
    | { readonly kind: 'int' }
    | { readonly kind: 'double' }
    | NumberType
    | StringType
    | { readonly kind: 'timestamp' }
    | { readonly kind: 'duration' }
    | { readonly kind: 'type' }
    | { readonly kind: 'list'; readonly element: Type }
    | { readonly kind: 'map'; readonly key: Type; readonly value: Type }
    | ObjectType
    | { readonly kind: 'optional'; readonly value: Type }
    /** Never sensitive itself: its members are. */
    | { readonly kind: 'union'; readonly members: readonly Type[] }
  )

export const dyn: Type = { kind: 'dyn' }
export const nullType: Type = { kind: 'null' }
export const bool: Type = { kind: 'bool' }
export const int: Type = { kind: 'int' }
export const double: Type = { kind: 'double' }
export const number: Type = { kind: 'number', whole: false }
export const integer: Type = { kind: 'number', whole: true }
/** A point in time as in the API: milliseconds since 1970. */
export const epochMilliseconds: Type = { kind: 'number', whole: true, unit: 'epoch_ms' }
export const string: StringType = { kind: 'string' }
/** In data a timestamp is an RFC 3339 string; reads of names with this type convert it. */
export const timestamp: Type = { kind: 'timestamp' }
/** In data a duration is a string such as `90s`; reads of names with this type convert it. */
export const duration: Type = { kind: 'duration' }
export const typeType: Type = { kind: 'type' }

/** Text that is one of `values`. */
export const enumeration = (values: readonly string[]): StringType => ({ kind: 'string', values })
export const list = (element: Type): Type => ({ kind: 'list', element })
/** A map with unknown keys. */
export const map = (value: Type, key: Type = string): Type => ({ kind: 'map', key, value })
export const optionalOf = (value: Type): Type => ({ kind: 'optional', value })

/**
 * An object with the given fields. A plain type is a required field; {@link optional} marks one that may be
 * missing.
 *
 * @param additional type of the fields not listed; default: there are none
 * @example object({ ip: string, risk: optional(number) })
 */
export function object(properties: Readonly<Record<string, Type | Property>>, additional?: Type): ObjectType {
  const entries = Object.entries(properties).map(([name, given]): [string, Property] => [
    name,
    'kind' in given ? { type: given } : given,
  ])
  return { kind: 'object', properties: new Map(entries), additional }
}

/** A field that may be missing, for {@link object}. */
export const optional = (type: Type): Property => ({ type, optional: true })

/** The value may be null. */
export const nullable = (type: Type): Type => union([type, nullType])

/** The same type, marked as sensitive. */
export function sensitive(type: Type): Type {
  if (type.sensitive === true) return type
  return type.kind === 'union'
    ? { ...type, members: type.members.map(sensitive) }
    : { ...type, sensitive: true }
}

/** The type of a result derived from these values: sensitive if one of them is, except for bools. */
export function derived(result: Type, from: readonly Type[]): Type {
  return result.kind !== 'bool' && from.some(isSensitive) ? sensitive(result) : result
}

/** Marks a result as sensitive if the whole value from which its parts were taken is sensitive. */
export function taken(result: Type, from: readonly Type[]): Type {
  const isWhole = (type: Type) =>
    membersOf(type).some((member) => member.sensitive === true) ||
    (result.kind === 'dyn' && isSensitive(type))
  return from.some(isWhole) ? sensitive(result) : result
}

/** A time according to a schema outside the playbook. */
export const assumed = (type: Type): Type => ({ ...type, assumed: true })

/** The type of a time in JSON: a string with a format. Other types stay as they are. */
export function textOfTime(type: Type): Type {
  if (type.kind !== 'timestamp' && type.kind !== 'duration') return type
  const text: Type = { kind: 'string', format: type.kind === 'timestamp' ? 'date-time' : 'duration' }
  return type.sensitive === true ? sensitive(text) : text
}

/** One of several types: duplicates are merged, `dyn` absorbs all others. */
export function union(types: readonly Type[]): Type {
  const members: Type[] = []
  for (const type of types.flatMap((each) => (each.kind === 'union' ? each.members : [each]))) {
    const at = members.findIndex((known) => mergeable(known, type))
    if (at < 0) members.push(type)
    else members[at] = merge(members[at]!, type)
  }
  if (members.some((member) => member.kind === 'dyn')) return unknownOf(members)
  return members.length === 1 ? members[0]! : members.length === 0 ? dyn : { kind: 'union', members }
}

/** `dyn` that keeps only the sensitivity of the members. */
function unknownOf(members: readonly Type[]): Type {
  const marked = members.filter(isSensitive)
  if (marked.length === 0) return dyn
  if (marked.some((member) => member.sensitive === true)) return sensitive(dyn)
  return {
    kind: 'dyn',
    shape: union(marked.map((member) => (member.kind === 'dyn' ? member.shape! : member))),
  }
}

/** The elements of an unknown value: unknown, and sensitive where they may be. */
export function elementOfUnknown(type: Type): Type {
  if (type.kind !== 'dyn' || type.sensitive === true || type.shape === undefined) return type
  const parts = membersOf(type.shape).flatMap((member) => {
    if (member.kind === 'list') return [member.element]
    if (member.kind === 'map') return [member.value, member.key]
    return isSensitive(member) ? [sensitive(dyn)] : []
  })
  return union([dyn, ...parts.filter(isSensitive)])
}

function mergeable(a: Type, b: Type): boolean {
  if (a.kind === 'dyn' && b.kind === 'dyn' && (a.shape ?? b.shape) !== undefined) return a === b
  if (a.kind === 'object' || b.kind === 'object') return a === b
  return a.kind === b.kind || (isNumeric(a) && isNumeric(b))
}

function merge(a: Type, b: Type): Type {
  if (a === b) return a
  const merged = mergeUnmarked(a, b)
  const known = a.assumed === true || b.assumed === true ? assumed(merged) : merged
  return a.sensitive === true || b.sensitive === true ? sensitive(known) : known
}

function mergeUnmarked(a: Type, b: Type): Type {
  if (a.kind === 'string' && b.kind === 'string') {
    const values = a.values && b.values ? [...new Set([...a.values, ...b.values])] : undefined
    const literal = a.literal === true && b.literal === true
    return { kind: 'string', values, format: commonFormat(a, b), literal }
  }
  if (isNumeric(a) && isNumeric(b)) {
    if (a.kind === b.kind && a.kind !== 'number') return a
    const [ours, others] = [a, b].map((type) => (type.kind === 'number' ? type.values : undefined))
    const values = ours && others ? [...new Set([...ours, ...others])] : undefined
    return { kind: 'number', whole: isWholeType(a) && isWholeType(b), ...(values ? { values } : {}) }
  }
  if (a.kind === 'list' && b.kind === 'list') return list(union([a.element, b.element]))
  if (a.kind === 'map' && b.kind === 'map') return map(union([a.value, b.value]), union([a.key, b.key]))
  if (a.kind === 'optional' && b.kind === 'optional') return optionalOf(union([a.value, b.value]))
  return a
}

/** A literal has the format in which it is written. */
function commonFormat(a: StringType, b: StringType): string | undefined {
  if (a.format === b.format) return a.format
  const [format, written] = a.format === undefined ? [b.format, a] : [a.format, b]
  const kind = format === 'date-time' ? 'timestamp' : format
  const isSo = written.literal === true && written.values?.every((text) => kindOfTime(text) === kind)
  return isSo === true ? format : undefined
}

/** The members of a union, or the type itself. */
export const membersOf = (type: Type): readonly Type[] => (type.kind === 'union' ? type.members : [type])

/** Whether null is a possible value; `dyn` does not count. */
export const admitsNull = (type: Type): boolean => membersOf(type).some((member) => member.kind === 'null')

/** The type without null. */
export function withoutNull(type: Type): Type {
  return type.kind === 'union' ? union(type.members.filter((member) => member.kind !== 'null')) : type
}

export const isNumeric = (type: Type): boolean =>
  type.kind === 'int' || type.kind === 'double' || type.kind === 'number'

/** Whether all values are whole numbers. */
export const isWholeType = (type: Type): boolean =>
  type.kind === 'int' || (type.kind === 'number' && type.whole)

/**
 * The kind of time of a value, also of a string with a time format: evaluation converts such a string when it
 * is used with a time.
 */
export function timeKind(type: Type): 'timestamp' | 'duration' | undefined {
  const plain = withoutNull(type)
  if (plain.kind === 'timestamp' || plain.kind === 'duration') return plain.kind
  if (plain.kind !== 'string') return undefined
  return plain.format === 'date-time' ? 'timestamp' : plain.format === 'duration' ? 'duration' : undefined
}

/** A type for people: `string`, `list(number)`, `object`, `string or null`. */
export function describeType(type: Type): string {
  if (type.kind === 'dyn') return 'any'
  if (type.kind === 'number') return type.whole ? 'integer' : 'number'
  if (type.kind === 'string') return describeText(type)
  if (type.kind === 'list')
    return type.element.kind === 'dyn' ? 'list' : `list(${describeType(type.element)})`
  if (type.kind === 'optional') return `optional(${describeType(type.value)})`
  if (type.kind === 'union') return type.members.map(describeType).join(' or ')
  return type.kind
}

function describeText({ values, literal }: StringType): string {
  if (!values || values.length > 5) return 'string'
  const quoted = values.map((value) => `"${value}"`)
  if (literal === true) return quoted.join(' or ')
  return values.length === 1 ? quoted[0]! : `one of ${values.map((value) => value || '""').join(', ')}`
}

/** Cache: types share parts, so that traversing all of them could take exponential time. */
const sensitiveTypes = new WeakMap<Type, boolean>()

/** Whether a value of this type is sensitive or contains a sensitive part. */
export function isSensitive(type: Type): boolean {
  if (type.sensitive === true) return true
  const known = sensitiveTypes.get(type)
  if (known !== undefined) return known
  const found = carriesSensitive(type)
  sensitiveTypes.set(type, found)
  return found
}

function carriesSensitive(type: Type): boolean {
  if (type.kind === 'dyn') return type.shape !== undefined && isSensitive(type.shape)
  if (type.kind === 'list') return isSensitive(type.element)
  if (type.kind === 'map') return isSensitive(type.value) || isSensitive(type.key)
  if (type.kind === 'optional') return isSensitive(type.value)
  if (type.kind === 'union') return type.members.some(isSensitive)
  if (type.kind !== 'object') return false
  for (const property of type.properties.values()) if (isSensitive(property.type)) return true
  return type.additional !== undefined && isSensitive(type.additional)
}
