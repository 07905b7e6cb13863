import QuickLRU from 'quick-lru'
import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import type { Value } from '../../values/values.ts'
import { global, method, stringArgument, type ExpressionFunction, type FunctionBody } from '../function.ts'
import { Pattern, weighPattern } from './pattern.ts'

/** Shared by all expressions. */
const cache = new QuickLRU<string, Pattern>({ maxSize: 32 })
const maxCachedWeight = 500

/** By RE2's rules: without look-around and back references, hence in linear time. */
function matches(meter: Meter, span: Span, target: Value, source: Value): Value {
  return patternOf(stringArgument(source, span), meter, span).find(stringArgument(target, span), meter, span)
}

/** The compiled pattern. An evaluation pays once for each, whether it is cached or not. */
export function patternOf(source: string, meter: Meter, span: Span): Pattern {
  const known = meter.patterns.get(source)
  if (known) return known as Pattern
  meter.rewrite(source.length, span)
  meter.spend(20 + weighPattern(source, span) * 8, span)
  const pattern = sharedPattern(source, span)
  meter.patterns.set(source, pattern)
  return pattern
}

/** The compiled pattern. Throws a fault if it is invalid. */
export function sharedPattern(source: string, span: Span): Pattern {
  const pattern = cache.get(source) ?? new Pattern(source, span)
  if (pattern.weight <= maxCachedWeight) cache.set(source, pattern)
  return pattern
}

const nowhere: Span = { start: 0, end: 0 }

/** The pattern of a literal, compiled once; undefined if it is none, or invalid: then it throws when used. */
export function literalPattern(source: Value | undefined): Pattern | undefined {
  if (typeof source !== 'string') return undefined
  try {
    return sharedPattern(source, nowhere)
  } catch {
    return undefined
  }
}

function prepare([, source]: readonly (Value | undefined)[]): FunctionBody | undefined {
  const pattern = literalPattern(source)
  return pattern && ((meter, span, target) => pattern.find(stringArgument(target, span), meter, span))
}

const options = { tries: [undefined, sharedPattern], prepare }

export const matchFunctions: readonly ExpressionFunction[] = [
  method('matches', ['string, string -> bool'], matches, options),
  global('matches', ['string, string -> bool'], matches, options),
]
