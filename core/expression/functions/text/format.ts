import type { AstNode } from '../../parse/ast.ts'
import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import { guardDepth, isMap } from '../../values/operators.ts'
import { formatDuration, formatTimestamp } from '../../values/time.ts'
import {
  formatDouble,
  Duration,
  entryOf,
  isList,
  keysOfMap,
  kindOfValue,
  Timestamp,
  TypeValue,
  type Value,
} from '../../values/values.ts'
import { invalidArgument, stringArgument, wrongArgument, type FunctionBody } from '../function.ts'
import { formatTime } from '../times/format-time.ts'

const clause = /%(?:\.(\d+))?([a-zA-Z%]?)/g
/** The maximum of `toFixed`. */
const maxPrecision = 100

/** `text.format(list)`, or `time.format(pattern[, zone])`. */
export const formatAny: FunctionBody = (meter, span, target, args, zone) => {
  if (isList(args)) return format(meter, span, target, args)
  if (typeof args !== 'string')
    throw wrongArgument(span, args, 'a list of arguments, or the pattern of a time')
  return formatTime(target, args, zone, meter, span)
}

/** Fills `%s %d %f %e %x %X %o %b` in, as printf does; `%%` is a percent sign. */
function format(meter: Meter, span: Span, target: Value, args: readonly Value[]): Value {
  const template = stringArgument(target, span)
  meter.rewrite(template.length, span)
  let next = 0
  let made = template.length
  const result = template.replace(clause, (whole: string, digits: string | undefined, verb: string) => {
    if (verb === '%') return '%'
    const precision = digits === undefined ? undefined : Number(digits)
    checkPrecision(precision, span)
    if (next >= args.length) throw noArgument(next, whole, span)
    const written = formatOne(verb, precision, args[next++]!, meter, span)
    made += written.length
    meter.allocateText(written.length, span)
    return written
  })
  meter.allocateText(made, span)
  return result
}

/** Throws a fault for a template that is invalid regardless of its arguments. */
export function tryFormat(template: string, span: Span, [, list]: readonly AstNode[]): void {
  // A time in a string.
  if (list?.kind === 'literal') return
  let next = 0
  for (const [whole, digits, verb = ''] of template.matchAll(clause)) {
    if (verb === '%') continue
    if (!/[sdfexXob]/.test(verb)) throw notVerb(verb, span)
    checkPrecision(digits === undefined ? undefined : Number(digits), span)
    if (list?.kind === 'list' && next >= list.elements.length) throw noArgument(next, whole, span)
    next++
  }
}

function checkPrecision(precision: number | undefined, span: Span): void {
  if (precision !== undefined && precision > maxPrecision)
    throw invalidArgument(span, `a precision is at most ${maxPrecision}`)
}

const noArgument = (index: number, clauseText: string, span: Span) =>
  invalidArgument(span, `there is no argument ${index} for ${clauseText}`)

const notVerb = (verb: string, span: Span) =>
  invalidArgument(span, `'%${verb}' is not a format`, 'use %s %d %f %e %x %X %o or %b; %% is a percent sign')

function formatOne(
  verb: string,
  precision: number | undefined,
  value: Value,
  meter: Meter,
  span: Span,
): string {
  if (typeof value === 'bigint') meter.writeInteger(value, span)
  switch (verb) {
    case 's':
      return plain(value, meter, span, 0)
    case 'd':
      return decimal(value, span)
    case 'f':
    case 'e':
      return fraction(verb, precision ?? 6, value, span)
    case 'x':
      return hexadecimal(value, meter, span)
    case 'X':
      return hexadecimal(value, meter, span).toUpperCase()
    case 'o':
      return integer(value, 8, '%o', span)
    case 'b':
      return typeof value === 'boolean' ? (value ? '1' : '0') : integer(value, 2, '%b', span)
    default:
      throw notVerb(verb, span)
  }
}

const wrong = (verb: string, value: Value, span: Span, wanted: string) =>
  invalidArgument(span, `${verb} takes ${wanted}, found ${kindOfValue(value)}`)

function integer(value: Value, base: number, verb: string, span: Span): string {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))) {
    return value.toString(base)
  }
  throw wrong(verb, value, span, 'a whole number')
}

function decimal(value: Value, span: Span): string {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number') return formatDouble(value)
  throw wrong('%d', value, span, 'a number')
}

function fraction(verb: 'f' | 'e', precision: number, value: Value, span: Span): string {
  if (typeof value !== 'number' && typeof value !== 'bigint') throw wrong(`%${verb}`, value, span, 'a number')
  const size = Number(value)
  if (!Number.isFinite(size)) return formatDouble(size)
  // JavaScript drops the sign of zero but keeps it for numbers rounded to zero.
  if (Object.is(size, -0)) return `-${fraction(verb, precision, 0, span)}`
  if (verb === 'f') return Math.abs(size) < 1e21 ? fixed(size, precision) : wideFixed(size, precision)
  // At least two exponent digits, as in C.
  return size.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2')
}

/** Rounds ties to even, as in IEEE 754; `toFixed` rounds them up. */
function fixed(size: number, precision: number): string {
  const written = size.toFixed(precision)
  // This many digits represent a tie exactly.
  const isTie = /^50*$/.test(size.toFixed(maxPrecision).split('.')[1]!.slice(precision))
  const isOdd = /[13579]$/.test(written)
  return isTie && isOdd ? size.toFixed(precision + 1).slice(0, precision === 0 ? -2 : -1) : written
}

const wideFixed = (size: number, precision: number): string =>
  BigInt(size).toString() + (precision > 0 ? `.${'0'.repeat(precision)}` : '')

function hexadecimal(value: Value, meter: Meter, span: Span): string {
  if (typeof value !== 'string') return integer(value, 16, '%x', span)
  meter.allocateText(value.length * 4, span)
  return Buffer.from(value, 'utf8').toString('hex')
}

/** `%s` of any value: lists and maps as literals, maps with sorted keys. */
function plain(value: Value, meter: Meter, span: Span, depth: number): string {
  guardDepth(depth, span)
  meter.spend(1, span)
  if (typeof value === 'string') {
    if (depth > 0) meter.allocateText(value.length, span)
    return value
  }
  if (typeof value === 'number') return formatDouble(value)
  if (typeof value === 'bigint') meter.writeInteger(value, span)
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (value === null) return 'null'
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (value instanceof Duration) return formatDuration(value)
  if (value instanceof TypeValue) return value.name
  if (isList(value)) return `[${value.map((each) => plain(each, meter, span, depth + 1)).join(', ')}]`
  if (!isMap(value)) throw wrong('%s', value, span, 'a value that can be written')
  const keys = keysOfMap(value)
  meter.listKeys(keys.length, span)
  const entries = keys.map((key): [string, string] => [
    plain(key, meter, span, depth + 1),
    plain(entryOf(value, key)!, meter, span, depth + 1),
  ])
  entries.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
  return `{${entries.map(([key, each]) => `${key}: ${each}`).join(', ')}}`
}
