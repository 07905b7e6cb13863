import type { Span } from '../../values/errors.ts'
import { shorten } from '../../values/time.ts'
import { invalidArgument } from '../function.ts'

/** A part of a pattern: a text, or a letter with its flag. */
export interface PatternPart {
  readonly text?: string
  readonly letter?: string
  /** `-` omits leading zeros, and `:` writes an offset with a colon. */
  readonly flag?: string | undefined
}

/** The letters of patterns, as in strftime; docs/expressions.md explains them. */
const letters = 'YymdejHIMSfLpaAbBuzZsGV'
const shorthands: Readonly<Record<string, string>> = { F: '%Y-%m-%d', T: '%H:%M:%S', R: '%H:%M' }

export const monthNames: readonly string[] =
  'January February March April May June July August September October November December'.split(' ')
export const dayNames: readonly string[] = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(
  ' ',
)

const longest = 200

/** Reads a pattern such as `%Y-%m-%d %H:%M`. Throws a fault if it is invalid. */
export function readTimePattern(pattern: string, span: Span): readonly PatternPart[] {
  if (pattern.length > longest)
    throw invalidArgument(span, `the pattern is longer than ${longest} characters`)
  const parts: PatternPart[] = []
  const expanded = pattern.replaceAll(/%([%FTR])/g, (whole, letter: string) => shorthands[letter] ?? whole)
  for (const [whole, flag, letter] of expanded.matchAll(/%([-:]?)([^]?)|[^%]+/g)) {
    if (letter === undefined) parts.push({ text: whole })
    else if (letter === '%' && flag === '') parts.push({ text: '%' })
    else if (letter !== '' && letters.includes(letter) && (flag !== ':' || letter === 'z'))
      parts.push({ letter, flag })
    else throw noLetter(whole, span)
  }
  return parts
}

const noLetter = (written: string, span: Span) =>
  invalidArgument(
    span,
    `'${written}' is not a part of a time`,
    'write %Y %m %d %H %M %S, or another one of the reference; %% is a percent sign',
  )

/** The parts of the pattern languages of Java, JavaScript and .NET. */
const unicode: readonly (readonly [RegExp, string])[] = [
  [/[yY]{4}/g, '%Y'],
  [/MMMM/g, '%B'],
  [/MMM/g, '%b'],
  [/MM/g, '%m'],
  [/[dD]{2}/g, '%d'],
  [/HH/g, '%H'],
  [/hh/g, '%I'],
  [/mm/g, '%M'],
  [/ss/g, '%S'],
  [/SSS|fff/g, '%L'],
]

/** Throws a fault for a literal pattern that is invalid, or written as in other languages. */
export function tryTimePattern(pattern: string, span: Span): void {
  readTimePattern(pattern, span)
  if (pattern.includes('%')) return
  const meant = unicode.reduce((text, [from, to]) => text.replace(from, to), pattern)
  const hint = meant === pattern ? 'write it like "%Y-%m-%d %H:%M"' : `write "${meant}"`
  throw invalidArgument(span, `'${shorten(pattern)}' has no parts of a time`, hint)
}
