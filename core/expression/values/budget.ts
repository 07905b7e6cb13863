import { Fault, type Span } from './errors.ts'

/** Longest source, in UTF-8 bytes. */
export const maxExpressionBytes = 8192
/** Deepest nesting of parentheses, brackets, calls and unary or ternary operators. */
export const maxNesting = 64
/** Maximum height of a syntax tree: each link of a chain such as `a + b + …` or `a.b.c…` counts. */
export const maxHeight = 256
/** Largest syntax tree, in nodes. */
export const maxExpressionNodes = 2000
/**
 * Fuel of one evaluation. A unit pays for about half a microsecond: an iteration with a small body, a call,
 * or reading 64 characters. An evaluation therefore ends within a tenth of a second.
 */
const evaluationFuel = 100_000
/** A fault takes as long as several iterations. */
const faultFuel = 4
/** Maximum bytes of new values per evaluation: two per character and 16 per element. */
const evaluationBytes = 8 * 1024 * 1024

/**
 * Fuel and memory for one or more evaluations. Each evaluation deducts its use, and is also bound by the
 * limits of a single one.
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

/** A compiled pattern, see `functions/pattern.ts`. */
export interface SearchPattern {
  find(value: string, meter: Meter, span: Span): boolean
}

/** Costs that an evaluation pays once. */
interface Paid {
  readonly patterns: Map<string, SearchPattern>
  readonly zones: Set<string>
}

/** Made only when needed: most evaluations use neither. */
const nothingPaid = (): Paid => ({ patterns: new Map(), zones: new Set() })

/** The remaining budget of one evaluation. */
export class Meter {
  /** Identifies the evaluation, for costs that are paid once in each. */
  readonly evaluation: number = ++evaluations
  fuel: number
  bytes: number
  #paid: Paid | undefined

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

  /** Pays for reading `length` characters. */
  read(length: number, span: Span): void {
    if (length > 256) this.spend(length >>> 8, span)
  }

  /** Pays for processing `length` characters one by one, which takes four times as long as reading them. */
  search(length: number, span: Span): void {
    if (length > 64) this.spend(length >>> 6, span)
  }

  /** Pays for replacing `length` characters one by one. */
  rewrite(length: number, span: Span): void {
    if (length > 8) this.spend(length >>> 3, span)
  }

  /** Pays for a fault that is caught and ignored. */
  absorb(span: Span): void {
    this.spend(faultFuel, span)
  }

  /** Computed patterns that this evaluation has paid for. */
  get patterns(): Map<string, SearchPattern> {
    return (this.#paid ??= nothingPaid()).patterns
  }

  /** Time zones whose rules this evaluation has paid for. */
  get zones(): Set<string> {
    return (this.#paid ??= nothingPaid()).zones
  }

  /** Pays for a new value of this size. */
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

  /** Pays for formatting an integer; data may contain one with a million digits. */
  writeInteger(value: bigint, span: Span): void {
    if (BigInt.asIntN(64, value) === value) return
    const size = value.toString(16).length
    this.spend((size >>> 1) + Math.floor((size / 1024) ** 2), span)
  }

  /** Pays for listing the keys of a map. */
  listKeys(count: number, span: Span): void {
    this.spend(count + (count >>> 2), span)
    this.allocate(count * 16, span)
  }

  /** Pays for a new string; call it before creating the string. */
  allocateText(length: number, span: Span): void {
    this.read(length, span)
    this.allocate(16 + length * 2, span)
  }
}
