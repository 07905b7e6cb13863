import { Meter } from './budget.ts'
import { Fault, type Span } from './errors.ts'
import { scalarText } from '../functions/conversions.ts'
import { guardDepth } from './operators.ts'
import { shorten } from './time.ts'
import {
  Duration,
  isList,
  isPlainObject,
  kindOfValue,
  MapValue,
  Optional,
  Timestamp,
  TypeValue,
  type Value,
} from './values.ts'

const nowhere: Span = { start: 0, end: 0 }
/** Maximum number of parts: a value with shared parts may be much larger as JSON than in memory. */
const maxParts = 2_000_000
const maxBytes = 64 * 1024 * 1024

/**
 * The result of an evaluation as JSON. Ints become numbers, or stay bigint beyond 2^53; timestamps become RFC
 * 3339 text, durations text such as `90s`, types their name, an optional its value. Parts that are JSON
 * already are not copied.
 *
 * @param source the source of the expression, for errors
 * @throws ExpressionError `expression_wrong_type` for values without a JSON form (NaN, infinities, an empty
 *   optional), `expression_too_deep`, `expression_memory_exhausted`
 */
export function toJsonValue(value: unknown, source?: string): unknown {
  const meter = new Meter(undefined)
  meter.fuel = maxParts
  meter.bytes = maxBytes
  return atBoundary(() => convertToJson(value as Value, meter, nowhere), source)
}

/** Like {@link toJsonValue}; undefined for an optional without a value. */
export const toJsonOrNothing = (value: unknown, source?: string): unknown =>
  value instanceof Optional && value.value === undefined ? undefined : toJsonValue(value, source)

/**
 * A scalar as text, for interpolation.
 *
 * @throws ExpressionError `expression_wrong_type` for lists, maps, null and optionals,
 *   `expression_fuel_exhausted` for integers of tens of thousands of digits
 */
export function toText(value: unknown): string {
  if (typeof value === 'bigint') atBoundary(() => new Meter(undefined).writeInteger(value, nowhere))
  const written = scalarText(value as Value)
  if (written !== undefined) return written
  const hint = isList(value as Value)
    ? "join it: list.join(', ')"
    : value === null
      ? "write orValue(…) or a condition such as x == null ? '' : string(x)"
      : 'write json(value)'
  const kind = kindOfValue(value as Value)
  return atBoundary(() => {
    throw new Fault('expression_wrong_type', `${kind} cannot be inserted into text`, nowhere, hint)
  })
}

function atBoundary<T>(run: () => T, source?: string): T {
  try {
    return run()
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault
    if (source === undefined) throw fault.toError()
    const message = `the value of ${shorten(source)} cannot be stored: ${fault.message}`
    throw new Fault(fault.code, message, { start: 0, end: source.length }, fault.hint).toError()
  }
}

/** Like {@link toJsonValue}, with its cost. */
export const convertToJson = (value: Value, meter: Meter, span: Span): unknown =>
  new Conversion(meter, span).convert(value, 0)

/** A converted list or map; a second occurrence costs the same without being converted again. */
interface Known {
  readonly converted: unknown
  readonly fuel: number
  readonly bytes: number
  /** Levels below it. */
  readonly height: number
}

class Conversion {
  readonly #meter: Meter
  readonly #span: Span
  readonly #known = new Map<object, Known>()
  /** Deepest level since the last reset. */
  #deepest = 0

  constructor(meter: Meter, span: Span) {
    this.#meter = meter
    this.#span = span
  }

  convert(value: Value, depth: number): unknown {
    this.#meter.spend(1, this.#span)
    if (typeof value === 'string') {
      this.#meter.allocate(value.length * 2, this.#span)
      return value
    }
    if (value === null || typeof value === 'boolean') return value
    if (typeof value === 'bigint') {
      if (Number.isSafeInteger(Number(value))) return Number(value)
      this.#meter.writeInteger(value, this.#span)
      return value
    }
    if (typeof value === 'number') {
      if (Number.isFinite(value)) return value
      const hint =
        'the cause is a division by zero (check first, as in b == 0 ? 0 : a / b) or a number beyond 1.8e308 in the data'
      throw new Fault('expression_wrong_type', `JSON has no ${value}`, this.#span, hint)
    }
    if (value instanceof Timestamp || value instanceof Duration || value instanceof TypeValue)
      return scalarText(value)
    return this.#once(value, depth)
  }

  #once(value: Value & object, depth: number): unknown {
    const known = this.#known.get(value)
    guardDepth(depth + (known?.height ?? 0), this.#span)
    if (known) {
      this.#meter.spend(known.fuel, this.#span)
      this.#meter.allocate(known.bytes, this.#span)
      this.#deepest = Math.max(this.#deepest, depth + known.height)
      return known.converted
    }
    const { fuel, bytes } = this.#meter
    const deepest = this.#deepest
    this.#deepest = depth
    this.#meter.allocate(16, this.#span)
    const converted = this.#object(value, depth)
    this.#known.set(value, {
      converted,
      fuel: fuel - this.#meter.fuel,
      bytes: bytes - this.#meter.bytes,
      height: this.#deepest - depth,
    })
    this.#deepest = Math.max(this.#deepest, deepest)
    return converted
  }

  #object(value: Value & object, depth: number): unknown {
    if (isList(value)) return this.#list(value, depth)
    if (value instanceof Optional) {
      if (value.value !== undefined) return this.convert(value.value, depth + 1)
      const message = 'an optional without a value is not JSON'
      throw new Fault('expression_wrong_type', message, this.#span, 'use orValue(…)')
    }
    if (value instanceof MapValue) return this.#map(value, depth)
    if (!isPlainObject(value)) throw new Fault('expression_wrong_type', 'the value is not JSON', this.#span)
    let copy: object | undefined
    for (const key of Object.keys(value)) {
      const field = value[key]
      const converted = field === undefined ? undefined : this.convert(field, depth + 1)
      this.#meter.allocate(16 + key.length * 2, this.#span)
      if (converted === field && copy === undefined) continue
      copy ??= ownCopy(value)
      define(copy, key, converted)
    }
    // Objects of expressions have no prototype; the result is an ordinary object.
    return copy ?? (Object.getPrototypeOf(value) === null ? ownCopy(value) : value)
  }

  #list(value: readonly Value[], depth: number): unknown {
    let copy: unknown[] | undefined
    for (let at = 0; at < value.length; at++) {
      const converted = this.convert(value[at]!, depth + 1)
      if (converted === value[at] && copy === undefined) continue
      copy ??= value.slice()
      copy[at] = converted
    }
    return copy ?? value
  }

  #map(value: MapValue, depth: number): unknown {
    const result = {}
    for (const [key, each] of value.entries) {
      this.#meter.allocate(32, this.#span)
      define(result, String(key), this.convert(each, depth + 1))
    }
    return result
  }
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
