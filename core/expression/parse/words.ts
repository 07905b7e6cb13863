import type { Token } from './lexer.ts'

/** Words that are not allowed as field names either. */
export const keywords: readonly string[] = ['in', 'true', 'false', 'null']

export const reserved: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)
/** The functions of each namespace. Elsewhere its name is an ordinary one, such as the variable of a macro. */
const namespaces: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    cel: 'bind',
    lists: 'range',
    math: `greatest least ceil floor round trunc abs sign sqrt isNaN isInf isFinite
      bitAnd bitOr bitXor bitNot bitShiftLeft bitShiftRight`,
    optional: 'of ofNonZeroValue none',
    base64: 'encode decode',
    hex: 'encode decode',
    regex: 'extract extractAll replace groups',
    sets: 'contains equivalent intersects',
    strings: 'quote',
  }).map(([name, functions]) => [name, new Set(functions.split(/\s+/))]),
)
/** Whether `name.member(…)` is a function of a namespace. */
export const isNamespaced = (name: string, member: string): boolean =>
  namespaces.get(name)?.has(member) === true
export const isNamespace = (name: string): boolean => namespaces.has(name)
/** Functions that take any number of arguments, which are a list. */
export const variadic: ReadonlySet<string> = new Set(['math.greatest', 'math.least'])
interface MacroForm {
  /** How many arguments it takes. */
  readonly counts: readonly number[]
  /** With at least this many arguments, the macro has two variables. */
  readonly twoFrom: number
}

const form = (counts: readonly number[], twoFrom = Infinity): MacroForm => ({ counts, twoFrom })
const quantifier = form([2, 3], 3)
const transform = form([3, 4], 3)

export const macros: ReadonlyMap<string, MacroForm> = new Map([
  ['all', quantifier],
  ['exists', quantifier],
  ['exists_one', quantifier],
  ['existsOne', quantifier],
  ['map', form([2, 3])],
  ['filter', form([2])],
  ['sortBy', form([2])],
  ['groupBy', form([2])],
  ['indexBy', form([2])],
  ['transformList', transform],
  ['transformMap', transform],
  ['transformMapEntry', transform],
  ['optMap', form([2])],
  ['optFlatMap', form([2])],
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
