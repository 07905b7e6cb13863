import { Fault, type Span } from './errors.ts'

/** Longest source, in UTF-8 bytes. */
export const maxSourceBytes = 8192
/** Deepest nesting of parentheses, brackets, calls and unary or ternary operators. */
export const maxNesting = 64
/** Tallest syntax tree: a chain such as `a + b + …` or `a.b.c…` counts one for each link. */
export const maxHeight = 256
/** Largest syntax tree, in nodes. */
export const maxNodes = 2000
/**
 * Fuel of one evaluation. A unit pays for half a microsecond, generously counted: one turn of a loop with a small body, a call in it,
 * or going through 64 characters. So an evaluation ends within a tenth of a second, whatever it is given.
 */
const evaluationFuel = 100_000
/** A fault takes as long as several turns of a loop. */
const faultFuel = 4
/** Bytes that the values made by one evaluation may take, counted as two for each character and 16 for each element. */
const evaluationBytes = 8 * 1024 * 1024

/**
 * Fuel and memory for one evaluation or for many together. Each evaluation takes what it used out of
 * it; an evaluation is never allowed more than its own limits, however much is left here.
 *
 * @example const budget = new Budget({ fuel: 5_000_000, bytes: 256 * 1024 * 1024 })
 */
export class Budget {
  /** Units of fuel left. */
  fuel: number
  /** Bytes of values left. */
  bytes: number

  constructor(limits: { readonly fuel?: number; readonly bytes?: number } = {}) {
    this.fuel = limits.fuel ?? evaluationFuel
    this.bytes = limits.bytes ?? evaluationBytes
  }
}

let evaluations = 0

/** A compiled pattern (`functions/pattern.ts`), as far as an evaluation keeps it. */
export interface SearchPattern {
  find(value: string, meter: Meter, span: Span): boolean
}

/** What one evaluation may still spend. */
export class Meter {
  /** Tells evaluations apart, for what is to be paid once in each. */
  readonly evaluation: number = ++evaluations
  fuel: number
  bytes: number
  #patterns: Map<string, SearchPattern> | undefined

  constructor(budget: Budget | undefined) {
    this.fuel = budget === undefined ? evaluationFuel : Math.min(evaluationFuel, budget.fuel)
    this.bytes = budget === undefined ? evaluationBytes : Math.min(evaluationBytes, budget.bytes)
  }

  /** Pays for work. */
  spend(units: number, span: Span): void {
    this.fuel -= units
    if (this.fuel < 0) {
      throw new Fault(
        'expression_fuel_exhausted',
        'the expression takes too long: its fuel is used up',
        span,
        'loop over fewer items, or split the work into steps',
      )
    }
  }

  /** Pays for reading through `length` characters. */
  read(length: number, span: Span): void {
    if (length > 256) this.spend(length >>> 8, span)
  }

  /** Pays for going through `length` characters one by one, which takes four times as long as reading them. */
  search(length: number, span: Span): void {
    if (length > 64) this.spend(length >>> 6, span)
  }

  /** Pays for changing `length` characters each on its own. */
  rewrite(length: number, span: Span): void {
    if (length > 8) this.spend(length >>> 3, span)
  }

  /** Pays for a fault that is caught, since it may not matter. */
  absorb(span: Span): void {
    this.spend(faultFuel, span)
  }

  /** Patterns that are not literals, as far as this evaluation has paid for them. */
  get patterns(): Map<string, SearchPattern> {
    return (this.#patterns ??= new Map())
  }

  /** Pays for a new value of so many bytes. */
  allocate(bytes: number, span: Span): void {
    this.bytes -= bytes
    if (this.bytes < 0) {
      throw new Fault(
        'expression_memory_exhausted',
        'the expression makes too much data: its memory is used up',
        span,
        'build smaller values',
      )
    }
  }

  /** Pays for writing an integer, which data may hold with a million digits. */
  writeInteger(value: bigint, span: Span): void {
    if (BigInt.asIntN(64, value) === value) return
    const size = value.toString(16).length
    this.spend((size >>> 1) + Math.floor((size / 1024) ** 2), span)
  }

  /** Pays for the list of so many keys of a map. */
  listKeys(count: number, span: Span): void {
    this.spend(count + (count >>> 2), span)
    this.allocate(count * 16, span)
  }

  /** Pays for a new string; to be called before it is made. */
  allocateText(length: number, span: Span): void {
    this.read(length, span)
    this.allocate(16 + length * 2, span)
  }
}
