import type { Meter } from '../../values/budget.ts'
import { Fault, type Span } from '../../values/errors.ts'
import { isList, type Value } from '../../values/values.ts'
import { tryTimePattern } from '../times/time-pattern.ts'
import { tryZone } from '../times/zones.ts'
import { formatAny, tryFormat } from './format.ts'
import {
  global,
  method,
  stringArgument,
  integerArgument,
  wrongArgument,
  type ExpressionFunction,
} from '../function.ts'
import { findElement, reverseList } from '../lists/lists.ts'
import { Part } from './search.ts'

/**
 * CEL counts characters, JavaScript UTF-16 units. They differ only with surrogates; only then is the text
 * split into characters.
 */
const surrogate = /[\ud800-\udfff]/

function characters(value: string, meter: Meter, span: Span): readonly string[] {
  meter.allocate(value.length * 16, span)
  meter.read(value.length * 8, span)
  return Array.from(value)
}

/** Length in characters. */
export function lengthOf(value: string, meter: Meter, span: Span): number {
  meter.read(value.length, span)
  return surrogate.test(value) ? characters(value, meter, span).length : value.length
}

function slice(value: string, from: number, to: number | undefined, meter: Meter, span: Span): string {
  meter.read(value.length, span)
  const wide = surrogate.test(value) ? characters(value, meter, span) : undefined
  const length = wide?.length ?? value.length
  const end = to ?? length
  if (from < 0 || from > length || end < 0 || end > length || from > end) {
    const range = to === undefined ? `${from}` : `${from} to ${to}`
    throw new Fault('expression_index_out_of_range', `${range} is outside of the text's 0 to ${length}`, span)
  }
  meter.allocate(16 + (end - from) * 2, span)
  return wide ? wide.slice(from, end).join('') : value.slice(from, end)
}

function charAt(meter: Meter, span: Span, target: Value, index: Value): Value {
  const value = stringArgument(target, span)
  const at = integerArgument(index, span)
  const length = lengthOf(value, meter, span)
  if (at === length) return ''
  return slice(value, at, at + 1, meter, span)
}

function find(last: boolean) {
  return (meter: Meter, span: Span, target: Value, part: Value, offset: Value | undefined): Value => {
    if (isList(target)) return findElement(target, part, last, meter, span)
    const value = stringArgument(target, span)
    const wanted = stringArgument(part, span)
    const search = new Part(wanted)
    search.pay(value, meter, span)
    const wide = surrogate.test(value) ? characters(value, meter, span) : undefined
    const length = wide?.length ?? value.length
    const at = offset === undefined ? undefined : integerArgument(offset, span)
    if (at !== undefined && (at < 0 || at > length)) {
      throw new Fault('expression_index_out_of_range', `${at} is outside of the text's 0 to ${length}`, span)
    }
    const unit = at === undefined || !wide ? at : wide.slice(0, at).join('').length
    const found = last ? search.lastIndexIn(value, unit) : search.indexIn(value, unit)
    return BigInt(found <= 0 || !wide ? found : Array.from(value.slice(0, found)).length)
  }
}

function join(meter: Meter, span: Span, target: Value, separator: Value | undefined): Value {
  if (!isList(target)) throw wrongArgument(span, target, 'a list of strings')
  const between = separator === undefined ? '' : stringArgument(separator, span)
  const parts = target.map((each) => stringArgument(each, span))
  const size = parts.reduce((sum, part) => sum + part.length + between.length, 0)
  meter.spend(target.length >>> 3, span)
  meter.allocateText(size, span)
  return parts.join(between)
}

function replace(
  meter: Meter,
  span: Span,
  target: Value,
  from: Value,
  to: Value,
  limit: Value | undefined,
): Value {
  const parts = pieces(stringArgument(target, span), stringArgument(from, span), limit, 1, meter, span)
  const replacement = stringArgument(to, span)
  const removed = (parts.length - 1) * stringArgument(from, span).length
  meter.allocateText(
    stringArgument(target, span).length - removed + (parts.length - 1) * replacement.length,
    span,
  )
  return parts.join(replacement)
}

function split(meter: Meter, span: Span, target: Value, separator: Value, limit: Value | undefined): Value {
  const most = limit === undefined ? -1 : integerArgument(limit, span)
  if (most === 0) return []
  return pieces(stringArgument(target, span), stringArgument(separator, span), limit, 0, meter, span)
}

/**
 * Splits into at most `limit` (+ `extra`) pieces; a negative limit means no limit. The last piece keeps the
 * rest.
 */
function pieces(
  value: string,
  separator: string,
  limit: Value | undefined,
  extra: number,
  meter: Meter,
  span: Span,
): readonly string[] {
  const part = new Part(separator)
  part.pay(value, meter, span)
  const wanted = limit === undefined ? -1 : integerArgument(limit, span)
  const most = wanted < 0 ? Infinity : wanted + extra
  const parts = separator === '' ? letters(value, extra, meter, span) : part.splits(value, most, meter, span)
  meter.allocate(parts.length * 16 + value.length * 2, span)
  if (parts.length <= most) return parts
  return [...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)]
}

// An empty separator matches between all characters; for `replace` also at both ends.
function letters(value: string, around: number, meter: Meter, span: Span): string[] {
  const found = characters(value, meter, span)
  meter.spend(found.length >>> 3, span)
  return around ? ['', ...found, ''] : [...found]
}

/** JavaScript would also change letters beyond ASCII. */
const beyondAscii = /[^\0-\x7f]/

function ascii(pattern: RegExp, change: (found: string) => string) {
  return (meter: Meter, span: Span, target: Value): Value => {
    const value = stringArgument(target, span)
    meter.allocateText(value.length, span)
    if (!beyondAscii.test(value)) return change(value)
    meter.rewrite(value.length, span)
    return value.replace(pattern, change)
  }
}

function test(check: (value: string, part: Part, written: string) => boolean) {
  return (meter: Meter, span: Span, target: Value, part: Value): Value => {
    const value = stringArgument(target, span)
    const wanted = stringArgument(part, span)
    const search = new Part(wanted)
    search.pay(value, meter, span)
    return check(value, search, wanted)
  }
}

const quoted: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}

function quote(meter: Meter, span: Span, value: Value): Value {
  const plain = stringArgument(value, span).toWellFormed()
  meter.rewrite(plain.length, span)
  meter.allocateText(plain.length * 2 + 2, span)
  return `"${plain.replace(/[\p{Cc}\\"]/gu, (found) => quoted[found] ?? found)}"`
}

function trim(meter: Meter, span: Span, target: Value): Value {
  const value = stringArgument(target, span)
  meter.allocateText(value.length, span)
  let from = 0
  let to = value.length
  while (from < to && isSpace(value.charAt(from))) from++
  while (to > from && isSpace(value.charAt(to - 1))) to--
  return value.slice(from, to)
}

// Unicode white space, without U+FEFF, which JavaScript's trim() removes.
const isSpace = (character: string): boolean =>
  character === '\u0085' || (character !== '\ufeff' && character.trim() === '')

function reverse(meter: Meter, span: Span, target: Value): Value {
  if (isList(target)) return reverseList(target, meter, span)
  const value = stringArgument(target, span)
  meter.allocate(value.length * 2, span)
  return characters(value, meter, span).toReversed().join('')
}

/** At most `most` characters; the last one is `…` if the text was cut. */
function shorten(meter: Meter, span: Span, target: Value, most: Value): Value {
  const value = stringArgument(target, span)
  const limit = integerArgument(most, span)
  if (limit < 1) throw new Fault('expression_index_out_of_range', `${limit} characters are too few`, span)
  if (value.length <= limit || lengthOf(value, meter, span) <= limit) return value
  return `${slice(value, 0, limit - 1, meter, span)}…`
}

const found = ['string, string -> int', 'string, string, int -> int']

export const stringFunctions: readonly ExpressionFunction[] = [
  method('charAt', ['string, int -> string'], charAt),
  method('indexOf', [...found, 'list, value -> int'], find(false)),
  method('lastIndexOf', [...found, 'list, value -> int'], find(true)),
  method('join', ['strings -> string', 'strings, string -> string'], join),
  method(
    'lowerAscii',
    ['string -> string'],
    ascii(/[A-Z]+/g, (found) => found.toLowerCase()),
  ),
  method(
    'upperAscii',
    ['string -> string'],
    ascii(/[a-z]+/g, (found) => found.toUpperCase()),
  ),
  method('replace', ['string, string, string -> string', 'string, string, string, int -> string'], replace, {
    price: 2,
  }),
  method('split', ['string, string -> strings', 'string, string, int -> strings'], split, { price: 2 }),
  method(
    'substring',
    ['string, int -> string', 'string, int, int -> string'],
    (meter, span, target, from, to) =>
      slice(
        stringArgument(target, span),
        integerArgument(from, span),
        (to as Value | undefined) === undefined ? undefined : integerArgument(to, span),
        meter,
        span,
      ),
  ),
  method('shorten', ['string, int -> string'], shorten),
  method('trim', ['string -> string'], trim),
  method('reverse', ['string -> string', 'list -> same'], reverse, { price: 2 }),
  method(
    'format',
    ['string, list -> string', 'timestamp, string -> string', 'timestamp, string, string -> string'],
    formatAny,
    { tries: [tryFormat, tryTimePattern, tryZone], price: 4 },
  ),
  global('strings.quote', ['string -> string'], quote, { price: 3 }),
  method(
    'contains',
    ['string, string -> bool'],
    test((value, part) => part.indexIn(value) >= 0),
  ),
  method(
    'startsWith',
    ['string, string -> bool'],
    test((value, _part, written) => value.startsWith(written)),
  ),
  method(
    'endsWith',
    ['string, string -> bool'],
    test((value, _part, written) => value.endsWith(written)),
  ),
]
