import { Fault, type Span } from './errors.ts'

/** Longest source, in UTF-8 bytes. */
export const maxSourceBytes = 8192
/** Deepest nesting of parentheses, brackets, calls and unary or ternary operators. */
export const maxNesting = 64
/** Tallest syntax tree: a chain such as `a + b + …` or `a.b.c…` counts one for each link. */
export const maxHeight = 256
/** Largest syntax tree, in nodes. */
export const maxNodes = 2000
/** Fuel of one evaluation. A unit pays for one turn of a loop with a small body, or for some 256 characters. */
const evaluationFuel = 100_000
/** Bytes that the values made by one evaluation may take, counted as two for each character and 16 for each element. */
const evaluationBytes = 8 * 1024 * 1024

/**
 * Fuel and memory for many evaluations together, such as all those of one run. Each evaluation takes what it used out of
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

/** What one evaluation may still spend. */
export class Meter {
  fuel: number
  bytes: number

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

  /** Pays for a search through `length` characters, which takes twice as long as reading them. */
  search(length: number, span: Span): void {
    if (length > 256) this.spend(length >>> 7, span)
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

  /** Pays for a new string; to be called before it is made. */
  allocateText(length: number, span: Span): void {
    this.read(length, span)
    this.allocate(16 + length * 2, span)
  }
}
