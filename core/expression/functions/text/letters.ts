import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import type { Value } from '../../values/values.ts'
import {
  integerArgument,
  invalidArgument,
  method,
  stringArgument,
  type ExpressionFunction,
  type FunctionBody,
} from '../function.ts'
import { lengthOf } from './strings.ts'

/** A letter becomes up to three. */
const change =
  (run: (text: string) => string): FunctionBody =>
  (meter, span, target) => {
    const source = stringArgument(target, span)
    meter.search(source.length, span)
    meter.allocateText(source.length * 3, span)
    return run(source)
  }

const capitalize = (word: string): string => {
  const first = String.fromCodePoint(word.codePointAt(0)!)
  return first.toUpperCase() + word.slice(first.length).toLowerCase()
}

function title(meter: Meter, span: Span, target: Value): Value {
  const source = stringArgument(target, span)
  meter.rewrite(source.length, span)
  meter.allocateText(source.length * 3, span)
  return source.replaceAll(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’]*/gu, capitalize)
}

/** Fills up to a number of characters. */
const pad =
  (isBefore: boolean): FunctionBody =>
  (meter: Meter, span: Span, target: Value, size: Value, fill: Value) => {
    const source = stringArgument(target, span)
    const filler = (fill as Value | undefined) === undefined ? ' ' : stringArgument(fill, span)
    if (filler === '') throw invalidArgument(span, 'the text to fill with is empty')
    const missing = integerArgument(size, span) - lengthOf(source, meter, span)
    if (missing <= 0) return source
    meter.allocateText(missing * 2 + filler.length, span)
    meter.spend(missing >>> 5, span)
    const characters = Array.from(filler)
    meter.spend(characters.length >>> 3, span)
    const count = Math.floor(missing / characters.length)
    const added = filler.repeat(count) + characters.slice(0, missing % characters.length).join('')
    return isBefore ? added + source : source + added
  }

const sizes = ['string, int -> string', 'string, int, string -> string']

export const letterFunctions: readonly ExpressionFunction[] = [
  method(
    'lower',
    ['string -> string'],
    change((text) => text.toLowerCase()),
  ),
  method(
    'upper',
    ['string -> string'],
    change((text) => text.toUpperCase()),
  ),
  method('title', ['string -> string'], title, { price: 2 }),
  method('padStart', sizes, pad(true), { price: 2 }),
  method('padEnd', sizes, pad(false), { price: 2 }),
]
