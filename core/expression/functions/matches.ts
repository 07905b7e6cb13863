import QuickLRU from 'quick-lru'
import type { Meter, SearchPattern } from '../values/budget.ts'
import type { Span } from '../values/errors.ts'
import type { Value } from '../values/values.ts'
import { stringArgument } from './function.ts'
import { Pattern, weighPattern } from './pattern.ts'

/** Shared by all expressions. */
const cache = new QuickLRU<string, Pattern>({ maxSize: 32 })
const maxCachedWeight = 500

/** `matches` by RE2's rules: without look-around and back references, hence in linear time. */
export function matches(meter: Meter, span: Span, target: Value, source: Value): Value {
  return patternOf(stringArgument(source, span), meter, span).find(stringArgument(target, span), meter, span)
}

/** The compiled pattern. An evaluation pays once for each, whether it is cached or not. */
function patternOf(source: string, meter: Meter, span: Span): SearchPattern {
  const known = meter.patterns.get(source)
  if (known) return known
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
