import { RE2JS } from 're2js'
import type { Meter } from '../budget.ts'
import type { Span } from '../errors.ts'
import { shorten } from '../time.ts'
import type { Value } from '../values.ts'
import { invalidArgument, text } from './function.ts'

const maxPatternLength = 1000
const maxCached = 64
/**
 * A compiled pattern remembers states of its automaton, at worst one for each character it has seen, each about as large as
 * the pattern. After so much (characters times size) it is compiled anew, so that hostile patterns cannot hoard memory.
 */
const maxGrowth = 128 * 1024

/** A pattern that can be searched for any number of times. */
export class Pattern {
  readonly source: string
  /** Size of the compiled program, in instructions. */
  readonly size: number
  #compiled: RE2JS | undefined
  #growth = 0

  /** Faults with what is wrong about the pattern. */
  constructor(source: string, span: Span) {
    this.source = source
    this.#compiled = compilePattern(source, span)
    this.size = this.#compiled.programSize()
  }

  /** Whether the pattern occurs anywhere in the text; linear in the length of the text times the size of the pattern. */
  find(value: string, meter: Meter, span: Span): boolean {
    const work = value.length * this.size
    meter.spend(1 + Math.floor(work / 256), span)
    this.#compiled ??= compilePattern(this.source, span)
    const found = this.#compiled.test(value)
    this.#growth += work
    if (this.#growth > maxGrowth) {
      this.#compiled = undefined
      this.#growth = 0
    }
    return found
  }
}

/** Compiles a pattern, or faults with what is wrong about it. */
export function compilePattern(source: string, span: Span): RE2JS {
  if (source.length > maxPatternLength) {
    throw invalidArgument(span, `the pattern is longer than ${maxPatternLength} characters`)
  }
  try {
    return RE2JS.compile(source)
  } catch (cause) {
    const isBeyond = /\(\?[=!<]|\\[1-9]/.test(source)
    const hint = isBeyond ? 'patterns have no look-around and no back references' : undefined
    throw invalidArgument(
      span,
      `'${shorten(source)}' is not a valid pattern: ${(cause as Error).message}`,
      hint,
    )
  }
}

/** Patterns that are not literals, the least recently used first. Shared by all expressions: patterns are values, not state. */
const cache = new Map<string, Pattern>()

function cached(source: string, span: Span): Pattern {
  const pattern = cache.get(source) ?? new Pattern(source, span)
  cache.delete(source)
  cache.set(source, pattern)
  if (cache.size > maxCached) cache.delete(cache.keys().next().value!)
  return pattern
}

/** `matches` by RE2's rules: without look-around and back references, hence in linear time. */
export function matches(meter: Meter, span: Span, target: Value, source: Value): Value {
  const value = text(target, span)
  const wanted = text(source, span)
  // The same price whether the pattern is cached or not, so that a repeated evaluation spends the same.
  meter.spend(20 + wanted.length, span)
  const pattern = cached(wanted, span)
  meter.spend(pattern.size >>> 1, span)
  return pattern.find(value, meter, span)
}
