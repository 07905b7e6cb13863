import type { AstNode } from '../../parse/ast.ts'
import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import { shorten } from '../../values/time.ts'
import { dyn, map, optionalOf, string, type Type } from '../../types/types.ts'
import { Optional, type Value } from '../../values/values.ts'
import {
  global,
  integerArgument,
  invalidArgument,
  stringArgument,
  type ExpressionFunction,
  type FunctionBody,
  type WrittenOverload,
} from '../function.ts'
import { optionalStrings } from '../results.ts'
import type { Captures } from './capture.ts'
import { literalPattern, patternOf, sharedPattern } from './matches.ts'
import type { Pattern } from './pattern.ts'

type PatternBody = (
  pattern: Pattern,
  text: string,
  meter: Meter,
  span: Span,
  rest: readonly [Value, Value],
) => Value

/** A function with a pattern as its second argument, which is compiled once if it is a literal. */
function withPattern(
  name: string,
  signatures: readonly WrittenOverload[],
  run: PatternBody,
  check: (pattern: Pattern, name: string, span: Span) => unknown = () => undefined,
): ExpressionFunction {
  const body: FunctionBody = (meter, span, text, source, c, d) =>
    run(patternOf(stringArgument(source, span), meter, span), stringArgument(text, span), meter, span, [c, d])
  return global(name, signatures, body, {
    tries: [undefined, (source, span) => check(sharedPattern(source, span), name, span), tryReplacement],
    price: 4,
    prepare: ([, source]) => {
      const pattern = literalPattern(source)
      return (
        pattern &&
        ((meter, span, text, _source, c, d) => run(pattern, stringArgument(text, span), meter, span, [c, d]))
      )
    },
  })
}

function part(text: string, captures: Captures, group: number, meter: Meter, span: Span): string | undefined {
  const [from, to] = [captures[2 * group]!, captures[2 * group + 1]!]
  if (from < 0) return undefined
  meter.allocateText(to - from, span)
  return text.slice(from, to)
}

/** The group to extract: the only group, or the whole match. */
function onlyGroup(pattern: Pattern, name: string, span: Span): number {
  if (pattern.groups.length < 2) return pattern.groups.length
  const message = `${name}: the pattern has ${pattern.groups.length} groups, at most one is possible`
  throw invalidArgument(span, message, 'write (?:…) for the others, or use regex.groups(text, pattern)')
}

const extract: PatternBody = (pattern, text, meter, span) => {
  const group = onlyGroup(pattern, 'regex.extract', span)
  const captures = pattern.capture(text, 0, meter, span)
  const found = captures && part(text, captures, group, meter, span)
  // As in cel-go, an empty group is no value.
  return found === undefined || (group === 1 && found === '') ? Optional.none : new Optional(found)
}

const extractAll: PatternBody = (pattern, text, meter, span) => {
  const group = onlyGroup(pattern, 'regex.extractAll', span)
  const result: string[] = []
  for (const captures of matchesIn(pattern, text, meter, span)) {
    const found = part(text, captures, group, meter, span)
    if (found !== undefined && (group === 0 || found !== '')) result.push(found)
  }
  return result
}

/** All matches; an empty match right after another does not count. */
function* matchesIn(pattern: Pattern, text: string, meter: Meter, span: Span): Generator<Captures> {
  let end = -1
  for (let at = 0; at <= text.length;) {
    const captures = pattern.capture(text, at, meter, span)
    if (captures === undefined) return
    meter.spend(1, span)
    const [from, to] = [captures[0]!, captures[1]!]
    if (to > from || from !== end) yield captures
    end = to
    at = to > at ? to : at + (text.codePointAt(at)! > 0xffff ? 2 : 1)
  }
}

const groups: PatternBody = (pattern, text, meter, span) => {
  const captures = pattern.capture(text, 0, meter, span)
  if (captures === undefined) return Optional.none
  meter.allocate(32 + pattern.groups.length * 48, span)
  const result = Object.create(null) as Record<string, Value>
  for (const [at, name] of pattern.groups.entries()) {
    const found = part(text, captures, at + 1, meter, span)
    if (found !== undefined) result[name] = found
  }
  return new Optional(result)
}

/** The groups of a literal pattern are known fields. */
function typeOfGroups([, source]: readonly Type[]): Type {
  const [only, more] = source?.kind === 'string' && source.literal === true ? (source.values ?? []) : []
  const pattern = more === undefined ? literalPattern(only) : undefined
  if (source?.kind === 'dyn') return optionalOf(map(dyn))
  return optionalOf(pattern ? optionalStrings(pattern.groups) : map(string))
}

/** A replacement in parts: texts, and numbers of groups. */
type Replacement = readonly (string | number)[]

function parseReplacement(written: string, groupCount: number, span: Span): Replacement {
  const parts: (string | number)[] = []
  for (const [whole, sign] of written.matchAll(/\\([^]?)|[^\\]+/g)) {
    if (sign === undefined) parts.push(whole)
    else if (sign === '\\') parts.push('\\')
    else if (!/\d/.test(sign)) {
      const message = `'${shorten(written)}' is not a replacement: after \\ comes a group or \\`
      throw invalidArgument(span, message, String.raw`write \1 for the first group, and \\ for a backslash`)
    } else if (Number(sign) > groupCount) {
      throw invalidArgument(span, `the replacement has group ${sign}, the pattern ${groupCount} groups`)
    } else parts.push(Number(sign))
  }
  return parts
}

/** Other languages write `$1`. */
function tryReplacement(written: string, span: Span, [, source]: readonly AstNode[]): void {
  const pattern = source?.kind === 'literal' ? literalPattern(source.value) : undefined
  if (pattern === undefined) return
  const count = pattern.groups.length
  parseReplacement(written, count, span)
  const [dollar, group] = /\$(\d)/.exec(written) ?? []
  if (dollar === undefined || Number(group) > count) return
  throw invalidArgument(span, `'${dollar}' is not a group`, `write r"\\${group}"`)
}

const replace: PatternBody = (pattern, text, meter, span, [written, count]) => {
  const most = (count as Value | undefined) === undefined ? -1 : integerArgument(count, span)
  if (most === 0) return text
  const source = stringArgument(written, span)
  meter.rewrite(source.length, span)
  const replacement = parseReplacement(source, pattern.groups.length, span)
  const parts: string[] = []
  let done = 0
  let end = 0
  for (const captures of matchesIn(pattern, text, meter, span)) {
    parts.push(text.slice(end, captures[0]))
    for (const each of replacement) {
      const found = typeof each === 'string' ? each : (part(text, captures, each, meter, span) ?? '')
      meter.allocate(16 + found.length * 2, span)
      parts.push(found)
    }
    meter.spend(replacement.length >>> 3, span)
    end = captures[1]!
    if (++done === most) break
  }
  meter.allocateText(text.length, span)
  parts.push(text.slice(end))
  return parts.join('')
}

export const regexFunctions: readonly ExpressionFunction[] = [
  withPattern('regex.extract', ['string, string -> optional string'], extract, onlyGroup),
  withPattern('regex.extractAll', ['string, string -> strings'], extractAll, onlyGroup),
  withPattern(
    'regex.replace',
    ['string, string, string -> string', 'string, string, string, int -> string'],
    replace,
  ),
  withPattern('regex.groups', [{ parameters: ['string', 'string'], result: typeOfGroups }], groups),
]
