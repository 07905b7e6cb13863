import type { Token } from './lexer.ts'

/** Words that are not allowed as field names either. */
export const keywords: readonly string[] = ['in', 'true', 'false', 'null']

export const reserved: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)
/** Namespaces of functions. */
export const namespaces = new Set(['optional', 'strings'])
/** Macros with their numbers of arguments. */
export const macros: ReadonlyMap<string, readonly number[]> = new Map([
  ['all', [2]],
  ['exists', [2]],
  ['exists_one', [2]],
  ['existsOne', [2]],
  ['map', [2, 3]],
  ['filter', [2]],
  ['optMap', [2]],
  ['optFlatMap', [2]],
])
export const literals: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])
const comparisons = new Set(['==', '!=', '<', '<=', '>', '>=', 'in'])

export function isOneOf(...signs: string[]): (token: Token) => boolean {
  return (token) => token.kind === 'punctuation' && signs.includes(token.text)
}

export function isComparison({ kind, text }: Token): boolean {
  return comparisons.has(text) && (kind === 'punctuation' || (kind === 'ident' && text === 'in'))
}
