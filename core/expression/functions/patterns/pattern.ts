import { RE2JS } from 're2js'
import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import { shorten } from '../../values/time.ts'
import { invalidArgument } from '../function.ts'
import { CaptureSearch, type Captures, type Compiled } from './capture.ts'
import { patternWeight } from './pattern-weight.ts'

const maxPatternLength = 1000
/** Maximum weight of a pattern, and of all patterns of one expression: see {@link patternWeight}. */
export const maxPatternWeight = 10_000
/** Maximum number of states a pattern keeps for later evaluations; about half a megabyte. */
const maxKept = 1 << 15
/** Patterns above that limit; trimmed at the next evaluation of any pattern. */
const large = new Set<Pattern>()

/** The parts of the library's lazy automaton used here. */
interface Automaton {
  readonly prog: { readonly start: number }
  readonly numClasses: number
  readonly latin1Class: Int32Array
  memBudget: number
  runeClass(character: number): number
  makeState(instructions: readonly number[], flags: number, ids: readonly number[]): State
  step(state: State, characterClass: number, character: number, anchor: number): State
  clearCache(): void
}

interface State {
  readonly nfaStates: readonly number[]
  readonly isMatch: boolean
}

/**
 * A state and its transitions per character class. `entered` and `paid` name the last evaluation that paid
 * for them.
 */
interface Row {
  readonly state: State
  readonly isMatch: boolean
  readonly next: (Row | undefined)[]
  readonly paid: Float64Array
  entered: number
}

const beginsText = 4 | 1
const beginsLine = 1
const behindWord = 512
const unanchored = 0
const endOfText = -1
const latin1 = 255

/**
 * A reusable pattern. Each evaluation pays for the states it uses as if they were new, so the cost of a
 * search depends only on the pattern and the texts.
 */
export class Pattern {
  readonly weight: number
  readonly #compiled: RE2JS
  #automaton: Automaton | undefined
  readonly #rows = new Map<State, Row>()
  #start: Row | undefined
  #evaluation = 0
  #kept = 0
  #groups: readonly string[] | undefined
  #search: CaptureSearch | undefined

  /** Throws a fault for an invalid pattern. */
  constructor(source: string, span: Span) {
    this.#compiled = compilePattern(source, span)
    this.weight = patternWeight(source)
  }

  /**
   * Whether the pattern occurs anywhere in the text. Each character is one transition, and each new state is
   * paid for.
   */
  find(value: string, meter: Meter, span: Span): boolean {
    meter.search(value.length * 2, span)
    return this.#endIn(value, 0, meter, span) >= 0
  }

  /** Names of the groups; an unnamed group has its number. */
  get groups(): readonly string[] {
    return (this.#groups ??= namesOfGroups(this.#compiled.re2Input))
  }

  /**
   * The leftmost match at or after a position, with its groups. The automaton first checks whether there
   * is a match, so texts without a match are fast.
   */
  capture(value: string, from: number, meter: Meter, span: Span): Captures | undefined {
    const end = this.#endIn(value, from, meter, span)
    meter.search(((end < 0 ? value.length : end) - from) * 2, span)
    if (end < 0) return undefined
    this.#search ??= new CaptureSearch(this.#compiled.re2Input)
    return this.#search.find(value, from, meter, span)
  }

  /** The end of the match that ends first, or -1. */
  #endIn(value: string, from: number, meter: Meter, span: Span): number {
    const automaton = this.#prepare(meter)
    const { evaluation } = meter
    const { latin1Class, numClasses } = automaton
    let row = from === 0 ? this.#first(meter, span) : this.#begin(value.charCodeAt(from - 1), meter, span)
    for (let at = from; at < value.length; at++) {
      let character = value.charCodeAt(at)
      if (character >= 0xd800 && character <= 0xdfff) {
        character = value.codePointAt(at)!
        if (character > 0xffff) at++
      }
      const kind = character <= latin1 ? latin1Class[character]! : automaton.runeClass(character)
      row = row.paid[kind] === evaluation ? row.next[kind]! : this.#turn(row, kind, character, meter, span)
      if (row.isMatch) return at
    }
    return this.#turn(row, numClasses, endOfText, meter, span).isMatch ? value.length : -1
  }

  /** The state at the start of every text. */
  #first(meter: Meter, span: Span): Row {
    if (this.#start) return this.#pay(this.#start, meter, span)
    const automaton = this.#automaton!
    return (this.#start = this.#enter(
      automaton.makeState([automaton.prog.start], beginsText, []),
      meter,
      span,
    ))
  }

  /** The state after a character. */
  #begin(before: number, meter: Meter, span: Span): Row {
    const automaton = this.#automaton!
    return this.#enter(automaton.makeState([automaton.prog.start], contextBehind(before), []), meter, span)
  }

  /** Drops the states of earlier evaluations above the limit. */
  #prepare(meter: Meter): Automaton {
    const automaton = (this.#automaton ??= this.#compiled.re2Input.dfa as unknown as Automaton)
    if (this.#evaluation === meter.evaluation) return automaton
    this.#evaluation = meter.evaluation
    for (const pattern of large)
      if (pattern === this || pattern.#evaluation !== this.#evaluation) pattern.#forget()
    // New states are paid for, which bounds them.
    automaton.memBudget = Infinity
    return automaton
  }

  #forget(): void {
    this.#automaton?.clearCache()
    this.#rows.clear()
    this.#start = undefined
    this.#kept = 0
    large.delete(this)
  }

  /** Takes a transition that is new in this evaluation. */
  #turn(row: Row, kind: number, character: number, meter: Meter, span: Span): Row {
    meter.spend(1 + (row.state.nfaStates.length >>> 1), span)
    const next =
      row.next[kind] ??
      this.#enter(this.#automaton!.step(row.state, kind, character, unanchored), meter, span)
    row.next[kind] = this.#pay(next, meter, span)
    row.paid[kind] = meter.evaluation
    return next
  }

  #enter(state: State, meter: Meter, span: Span): Row {
    let row = this.#rows.get(state)
    if (!row) {
      const ways = this.#automaton!.numClasses + 1
      const next = Array.from<Row | undefined>({ length: ways })
      row = { state, isMatch: state.isMatch, next, paid: new Float64Array(ways), entered: 0 }
      this.#rows.set(state, row)
      this.#kept += state.nfaStates.length + 2 * this.#automaton!.numClasses
      if (this.#kept > maxKept) large.add(this)
    }
    return this.#pay(row, meter, span)
  }

  #pay(row: Row, meter: Meter, span: Span): Row {
    if (row.entered === meter.evaluation) return row
    row.entered = meter.evaluation
    meter.spend((row.state.nfaStates.length >>> 2) + (this.#automaton!.numClasses >>> 3), span)
    return row
  }
}

/** The flags of a state that begins after a character. */
const contextBehind = (before: number): number =>
  before === 10 ? beginsLine : /\w/.test(String.fromCharCode(before)) ? behindWord : 0

function namesOfGroups({ numSubexp, namedGroups }: Pick<Compiled, 'numSubexp' | 'namedGroups'>): string[] {
  const names = Array.from({ length: numSubexp }, (_, at) => String(at + 1))
  for (const [name, group] of Object.entries(namedGroups)) names[group - 1] = name
  return names
}

/** The weight of a pattern. Throws a fault if it is too large. */
export function weighPattern(source: string, span: Span): number {
  if (source.length > maxPatternLength) {
    throw invalidArgument(span, `the pattern is longer than ${maxPatternLength} characters`)
  }
  const weight = patternWeight(source)
  if (weight <= maxPatternWeight) return weight
  const message = `'${shorten(source)}' is too large: its repeat counts expand to more than ${maxPatternWeight} characters`
  throw invalidArgument(span, message, 'use smaller repeat counts, or * or + instead of {0,1000}')
}

/** Compiles a pattern. Throws a fault if it is invalid. */
export function compilePattern(source: string, span: Span): RE2JS {
  weighPattern(source, span)
  try {
    return RE2JS.compile(source)
  } catch (cause) {
    const isBeyond = /\(\?[=!<]|\\[1-9]/.test(source)
    const hint = isBeyond ? 'look-around and back references are not supported' : undefined
    const message = `'${shorten(source)}' is not a valid pattern: ${(cause as Error).message}`
    throw invalidArgument(span, message, hint)
  }
}
