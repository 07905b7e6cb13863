import { Meter } from './budget.ts'
import { Fault, type Span } from './errors.ts'
import { scalarText } from './functions/conversions.ts'
import { guardDepth } from './operators.ts'
import { shorten } from './time.ts'
import {
  Duration,
  isList,
  isObject,
  kindOf,
  MapValue,
  Optional,
  Timestamp,
  TypeValue,
  type Value,
} from './values.ts'

const nowhere: Span = { start: 0, end: 0 }
/** A value with shared parts may be far larger written out than it is in memory; this many parts are enough. */
const maxParts = 2_000_000
const maxBytes = 64 * 1024 * 1024

/**
 * The result of an evaluation as JSON. Ints become numbers, or stay bigint beyond 2^53; timestamps become RFC 3339 text,
 * durations text such as `90s`, types their name, an optional its value. Parts that are JSON already are not copied.
 *
 * @param source the expression that gave the value, which errors then name
 * @throws ExpressionError `expression_wrong_type` for what JSON cannot say (NaN, infinities, an empty optional),
 *   `expression_too_deep`, `expression_memory_exhausted`
 */
export function toJsonValue(value: unknown, source?: string): unknown {
  const meter = new Meter(undefined)
  meter.fuel = maxParts
  meter.bytes = maxBytes
  return atBoundary(() => convertToJson(value as Value, meter, nowhere), source)
}

/**
 * A scalar as text, for interpolation.
 *
 * @throws ExpressionError `expression_wrong_type` for lists, maps, null and optionals
 */
export function toText(value: unknown): string {
  const written = scalarText(value as Value)
  if (written !== undefined) return written
  const hint = isList(value as Value)
    ? "join it: list.join(', ')"
    : value === null
      ? "write orValue(…) or a condition such as x == null ? '' : string(x)"
      : 'write json(value)'
  const kind = kindOf(value as Value)
  return atBoundary(() => {
    throw new Fault('expression_wrong_type', `${kind} cannot stand inside text`, nowhere, hint)
  })
}

function atBoundary<T>(run: () => T, source?: string): T {
  try {
    return run()
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault
    if (source === undefined) throw fault.toError()
    const message = `the value of ${shorten(source)} cannot be kept: ${fault.message}`
    throw new Fault(fault.code, message, { start: 0, end: source.length }, fault.hint).toError()
  }
}

/** As {@link toJsonValue}, paid from a meter. */
export function convertToJson(value: Value, meter: Meter, span: Span, depth = 0): unknown {
  meter.spend(1, span)
  if (typeof value === 'string') {
    meter.allocate(value.length * 2, span)
    return value
  }
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value
    const hint = 'a division by zero gives it: ask first, as in b == 0 ? 0 : a / b'
    throw new Fault('expression_wrong_type', `JSON has no ${value}`, span, hint)
  }
  guardDepth(depth, span)
  meter.allocate(16, span)
  return convertObject(value, meter, span, depth)
}

function convertObject(value: Value & object, meter: Meter, span: Span, depth: number): unknown {
  if (isList(value)) return convertList(value, meter, span, depth)
  if (value instanceof Timestamp || value instanceof Duration || value instanceof TypeValue)
    return scalarText(value)
  if (value instanceof Optional) {
    if (value.value !== undefined) return convertToJson(value.value, meter, span, depth + 1)
    throw new Fault('expression_wrong_type', 'an optional without a value is no JSON', span, 'use orValue(…)')
  }
  if (value instanceof MapValue) return convertMap(value, meter, span, depth)
  if (!isObject(value)) throw new Fault('expression_wrong_type', 'the value is no JSON', span)
  let copy: object | undefined
  for (const key of Object.keys(value)) {
    const field = value[key]
    const converted = field === undefined ? undefined : convertToJson(field, meter, span, depth + 1)
    meter.allocate(16 + key.length * 2, span)
    if (converted === field && copy === undefined) continue
    copy ??= ownCopy(value)
    define(copy, key, converted)
  }
  // Objects made by expressions have no prototype; what leaves is an ordinary object.
  return copy ?? (Object.getPrototypeOf(value) === null ? ownCopy(value) : value)
}

function convertList(value: readonly Value[], meter: Meter, span: Span, depth: number): unknown {
  let copy: unknown[] | undefined
  for (const [at, each] of value.entries()) {
    const converted = convertToJson(each, meter, span, depth + 1)
    if (converted === each && copy === undefined) continue
    copy ??= value.slice()
    copy[at] = converted
  }
  return copy ?? value
}

function convertMap(value: MapValue, meter: Meter, span: Span, depth: number): unknown {
  const result = {}
  for (const [key, each] of value.entries) {
    meter.allocate(32, span)
    define(result, String(key), convertToJson(each, meter, span, depth + 1))
  }
  return result
}

function ownCopy(value: object): object {
  const copy = {}
  for (const [key, field] of Object.entries(value)) define(copy, key, field)
  return copy
}

/** Assignment would set the prototype when the key is `__proto__`. */
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}
