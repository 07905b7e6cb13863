import type { Meter } from './budget.ts'
import type { Span } from './errors.ts'
import { guardDepth, isMap } from './operators.ts'
import { hasFormOfTimestamp } from './text-times.ts'
import { timestampIn } from './time.ts'
import {
  Duration,
  entryOf,
  isList,
  keysOfMap,
  Optional,
  Timestamp,
  TypeValue,
  type MapKey,
  type Value,
} from './values.ts'

/** A primitive for a `Set` or `Map`: the same for values that `==` finds equal. */
export type Identity = string | number | bigint | boolean | null

/** Fuel for a string that is read as a time. */
const timeFuel = 3

/**
 * The identity of a value, paid by its size. A duration is never the same as its text, since `==` would not be
 * transitive there.
 */
export function identityOf(value: Value, meter: Meter, span: Span): Identity {
  if (typeof value === 'string') return `s${identityOfText(value, meter, span)}`
  if (typeof value === 'number' || typeof value === 'bigint') return identityOfNumber(value)
  if (typeof value === 'boolean' || value === null) return value
  const parts: string[] = []
  write(value, parts, meter, span, 0)
  const text = parts.join('')
  meter.allocateText(text.length, span)
  return text
}

/** A timestamp in a string counts as the point in time. */
function identityOfText(text: string, meter: Meter, span: Span): string {
  meter.search(text.length, span)
  if (!hasFormOfTimestamp(text)) return text
  meter.spend(timeFuel, span)
  const time = timestampIn(text)
  return time ? identityOfTime(time) : text
}

const identityOfTime = (time: Timestamp): string => `${time.seconds}.${time.nanos}@`

/** Equal numbers of both kinds are the same; integers that a double does not hold stay apart. */
function identityOfNumber(value: number | bigint): number | bigint {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value
}

function write(value: Value, parts: string[], meter: Meter, span: Span, depth: number): void {
  guardDepth(depth, span)
  meter.spend(1, span)
  meter.allocate(16, span)
  if (typeof value === 'string') {
    const text = identityOfText(value, meter, span)
    parts.push(`s${text.length}:`, text)
  } else if (typeof value === 'bigint' || typeof value === 'number') {
    if (typeof value === 'bigint') meter.writeInteger(value, span)
    parts.push(`n${identityOfNumber(value)};`)
  } else if (typeof value === 'boolean' || value === null) parts.push(`${value};`)
  else if (value instanceof Timestamp) {
    const text = identityOfTime(value)
    parts.push(depth === 0 ? `s${text}` : `s${text.length}:${text}`)
  } else if (value instanceof Duration) parts.push(`d${value.seconds}.${value.nanos};`)
  else if (value instanceof TypeValue) parts.push(`t${value.name};`)
  else if (value instanceof Optional) {
    parts.push('o')
    if (value.value !== undefined) write(value.value, parts, meter, span, depth + 1)
  } else if (isList(value)) {
    parts.push(`l${value.length}:`)
    for (const each of value) write(each, parts, meter, span, depth + 1)
  } else writeMap(value, parts, meter, span, depth)
}

function writeMap(value: Value, parts: string[], meter: Meter, span: Span, depth: number): void {
  if (!isMap(value)) return
  const keys = keysOfMap(value)
  meter.listKeys(keys.length, span)
  meter.spend(keys.length, span)
  const written = keys.map((key): [string, MapKey] => [`${typeof key}:${String(key)}`, key])
  written.sort(([left], [right]) => (left < right ? -1 : 1))
  parts.push(`m${keys.length}:`)
  for (const [name, key] of written) {
    meter.read(name.length, span)
    parts.push(`${name.length}:`, name)
    write(entryOf(value, key)!, parts, meter, span, depth + 1)
  }
}
