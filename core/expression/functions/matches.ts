import { RE2JS } from 're2js'
import type { Meter } from '../budget.ts'
import type { Span } from '../errors.ts'
import { shorten } from '../time.ts'
import type { Value } from '../values.ts'
import { invalidArgument, text } from './function.ts'

const maxPatternLength = 1000
const maxCached = 256
/** Compiled patterns, the least recently used first. Shared by all expressions: patterns are values, not state. */
const cache = new Map<string, RE2JS>()

/** Whether the pattern occurs anywhere in the text, by RE2's rules: in linear time, without look-around or back references. */
export function matches(meter: Meter, span: Span, target: Value, pattern: Value): Value {
  const value = text(target, span)
  const source = text(pattern, span)
  // The same price whether the pattern is cached or not, so that a repeated evaluation spends the same.
  meter.spend(20 + source.length, span)
  const compiled = cached(source, span)
  meter.spend(compiled.programSize() >>> 1, span)
  return findPattern(compiled, value, meter, span)
}

export function findPattern(pattern: RE2JS, value: string, meter: Meter, span: Span): boolean {
  // Linear in the length of the text, times the size of the compiled pattern.
  meter.spend(1 + Math.floor((value.length * pattern.programSize()) / 2048), span)
  return pattern.test(value)
}

function cached(source: string, span: Span): RE2JS {
  const known = cache.get(source)
  if (known) {
    // To the end of the queue; not worth it while there is room.
    if (cache.size > maxCached / 2) {
      cache.delete(source)
      cache.set(source, known)
    }
    return known
  }
  const pattern = compilePattern(source, span)
  if (cache.size >= maxCached) cache.delete(cache.keys().next().value!)
  cache.set(source, pattern)
  return pattern
}

/** Compiles a pattern, or faults with what is wrong about it. The checker uses it for literal patterns too. */
export function compilePattern(source: string, span: Span): RE2JS {
  if (source.length > maxPatternLength) {
    throw invalidArgument(span, `the pattern is longer than ${maxPatternLength} characters`)
  }
  try {
    return RE2JS.compile(source)
  } catch (cause) {
    const hint = /\(\?[=!<]|\\[1-9]/.test(source)
      ? 'patterns have no look-around and no back references'
      : undefined
    throw invalidArgument(
      span,
      `'${shorten(source)}' is not a valid pattern: ${(cause as Error).message}`,
      hint,
    )
  }
}
