/**
 * Values during evaluation.
 *
 * | CEL       | here                                                                              |
 * |-----------|-----------------------------------------------------------------------------------|
 * | int       | bigint, within 64 bits                                                            |
 * | double    | number; every number that comes out of JSON data is one                           |
 * | list      | array                                                                             |
 * | map       | object with its own fields as entries, or {@link MapValue} when a key is no string|
 * | others    | boolean, string, null, {@link Timestamp}, {@link Duration}, {@link Optional}, {@link TypeValue} |
 *
 * Data is never copied or changed. Only own fields are read, so that `__proto__` and `constructor` are
 * ordinary keys.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Value[]
  | ObjectValue
  | MapValue
  | Timestamp
  | Duration
  | Optional
  | TypeValue

export interface ObjectValue {
  readonly [key: string]: Value | undefined
}

/** A point in time, between the years 1 and 9999. */
export class Timestamp {
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly seconds: number
  /** 0 to 999,999,999, always added. */
  readonly nanos: number

  constructor(seconds: number, nanos: number) {
    this.seconds = seconds
    this.nanos = nanos
  }
}

/** A span of time. Both parts have the same sign. */
export class Duration {
  readonly seconds: number
  readonly nanos: number

  constructor(seconds: number, nanos: number) {
    this.seconds = seconds
    this.nanos = nanos
  }
}

/** The result of `.?` and `[?…]`: a value or none. */
export class Optional {
  static readonly none: Optional = new Optional(undefined)
  readonly value: Value | undefined

  constructor(value: Value | undefined) {
    this.value = value
  }
}

/** A type as a value: the result of `type(x)`. */
export class TypeValue {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** A map key as CEL compares it: equal numbers are the same key. */
export type MapKey = string | boolean | bigint

/** A map with keys that are not strings; exists only during evaluation. */
export class MapValue {
  readonly entries: ReadonlyMap<MapKey, Value>

  constructor(entries: ReadonlyMap<MapKey, Value>) {
    this.entries = entries
  }
}

const typeNames = [
  'null_type',
  'bool',
  'int',
  'double',
  'string',
  'list',
  'map',
  'type',
  'google.protobuf.Timestamp',
  'google.protobuf.Duration',
  'optional_type',
] as const

/** The types that have a name in expressions. */
export const typeValues: ReadonlyMap<string, TypeValue> = new Map(
  typeNames.map((name) => [name, new TypeValue(name)]),
)

const typeValue = (name: (typeof typeNames)[number]): TypeValue => typeValues.get(name)!

/** The type of a value, as in `type(x)`. */
export function typeOfValue(value: Value): TypeValue {
  if (value === null) return typeValue('null_type')
  if (typeof value === 'boolean') return typeValue('bool')
  if (typeof value === 'number') return typeValue('double')
  if (typeof value === 'bigint') return typeValue('int')
  if (typeof value === 'string') return typeValue('string')
  if (Array.isArray(value)) return typeValue('list')
  if (value instanceof Timestamp) return typeValue('google.protobuf.Timestamp')
  if (value instanceof Duration) return typeValue('google.protobuf.Duration')
  if (value instanceof Optional) return typeValue('optional_type')
  return value instanceof TypeValue ? typeValue('type') : typeValue('map')
}

const spokenNames: Readonly<Record<string, string>> = {
  null_type: 'null',
  'google.protobuf.Timestamp': 'timestamp',
  'google.protobuf.Duration': 'duration',
  optional_type: 'optional',
}

/** The type of a value for error messages: `string`, `list`, `null`, `timestamp`. */
export function kindOfValue(value: Value): string {
  const { name } = typeOfValue(value)
  return spokenNames[name] ?? name
}

/** Whether the value is a plain JSON object: not a list, null or instance of a class. */
export function isPlainObject(value: Value | undefined): value is ObjectValue {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** A list; `Array.isArray` alone does not narrow readonly arrays. */
export const isList = (value: Value | undefined): value is readonly Value[] => Array.isArray(value)

/** A value as a key; undefined if it cannot be one. */
export function toKey(value: Value): MapKey | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint') return value
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : undefined
}

/** Field of an object or entry of a map; undefined when there is none. */
export function entryOf(container: ObjectValue | MapValue, key: MapKey): Value | undefined {
  if (container instanceof MapValue) return container.entries.get(key)
  return typeof key === 'string' && Object.hasOwn(container, key) ? container[key] : undefined
}

/** Keys of an object or map, in order. Undefined fields do not exist. */
export function keysOfMap(container: ObjectValue | MapValue): readonly MapKey[] {
  if (container instanceof MapValue) return [...container.entries.keys()]
  const keys = Object.keys(container)
  for (const key of keys)
    if (container[key] === undefined) return keys.filter((each) => container[each] !== undefined)
  return keys
}

/** A double as text: like JavaScript, with CEL's words for NaN and infinities. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value < 0 ? '-Infinity' : 'Infinity'
  return Object.is(value, -0) ? '-0' : String(value)
}

/** An object if all keys are strings; without a prototype, so that `__proto__` is an ordinary key. */
export function mapOf(entries: ReadonlyMap<MapKey, Value>): Value {
  const result = Object.create(null) as Record<string, Value>
  for (const [key, value] of entries) {
    if (typeof key !== 'string') return new MapValue(entries)
    result[key] = value
  }
  return result satisfies ObjectValue
}
