import type { MissingPart, ProblemSeverity, SourceProblem } from '../../errors/source-frame.ts'
import { severityOf, type ProblemCode } from './problem-catalogue.ts'
import type { SourceText, Span } from './source-text.ts'

/** Something wrong with a playbook, at its place. */
export interface Problem extends SourceProblem {
  readonly code: ProblemCode
  readonly severity: ProblemSeverity
}

/** Maximum number of reported errors, and of other problems. */
const maxProblems = 200

/** An expensive hint is computed only if it is shown. */
export type Hint = string | undefined | (() => string | undefined)

interface Found extends Span {
  readonly code: ProblemCode
  readonly message: string
  readonly hint: string | undefined
  readonly missing?: MissingPart | undefined
}

const cut = (start: number, end: number): Found => ({
  code: 'I502',
  message: `only the first ${maxProblems} errors and the first ${maxProblems} other problems are shown`,
  start,
  end,
  hint: 'fix these and validate again',
})

const isError = ({ code }: Found): boolean => severityOf(code) === 'error'
const placeOf = ({ start, end }: Found): string => `${start} ${end}`

/** Collects problems while a playbook is read. */
export class Problems {
  readonly #source: SourceText
  readonly #file: string | undefined
  readonly #found = new Map<string, Found>()
  #errors = 0
  #isCut = false

  constructor(source: SourceText, file: string | undefined) {
    this.#source = source
    this.#file = file
  }

  /** Ignores repeated messages at the same place. */
  add(code: ProblemCode, message: string, { start, end }: Span, hint?: Hint, missing?: MissingPart): void {
    const key = `${start} ${end} ${code} ${message}`
    if (this.#found.has(key)) return
    // Counted separately, so that warnings do not hide errors.
    const isWrong = severityOf(code) === 'error'
    if ((isWrong ? this.#errors : this.#found.size - this.#errors) >= maxProblems) {
      this.#isCut = true
      return
    }
    if (isWrong) this.#errors++
    const shownHint = typeof hint === 'function' ? hint() : hint
    this.#found.set(key, { code, message, start, end, hint: shownHint, missing })
  }

  /** The source of a span. */
  written({ start, end }: Span): string {
    return this.#source.text.slice(start, Math.min(end, start + 100))
  }

  /** Whether the limit of errors is reached, so that further checks are pointless. */
  get isFull(): boolean {
    return this.#errors >= maxProblems
  }

  get hasErrors(): boolean {
    return this.#errors > 0
  }

  /** Whether an error has been found inside the span. */
  hasErrorIn({ start, end }: Span): boolean {
    if (!this.hasErrors) return false
    return this.#found
      .values()
      .some((found) => found.start >= start && found.end <= end && severityOf(found.code) === 'error')
  }

  /** In source order; the last one says if there are more. */
  list(): readonly Problem[] {
    const found = [...this.#found.values()]
    const wrong = new Set(found.filter(isError).map(placeOf))
    // Warnings at the place of an error are left out.
    const said = found.filter((each) => isError(each) || !wrong.has(placeOf(each)))
    const sorted = said.toSorted(
      (a, b) => a.start - b.start || a.end - b.end || (a.code < b.code ? -1 : a.code > b.code ? 1 : 0),
    )
    const more = this.#isCut || this.isFull ? sorted.slice(-1).map(({ start, end }) => cut(start, end)) : []
    return [...sorted, ...more].map((found) => this.#place(found))
  }

  #place({ code, message, hint, start, end, missing }: Found): Problem {
    const from = this.#source.place(start)
    const to = this.#source.place(end)
    return {
      code,
      severity: severityOf(code),
      message: shorten(message),
      ...(hint === undefined ? {} : { hint: shorten(hint) }),
      ...(this.#file === undefined ? {} : { file: this.#file }),
      line: from.line,
      column: from.column,
      endLine: to.line,
      endColumn: to.column,
      ...(missing === undefined ? {} : { missing }),
    }
  }
}

const maxMessageLength = 400
const shorten = (text: string): string =>
  text.length > maxMessageLength ? `${text.slice(0, maxMessageLength - 1).toWellFormed()}…` : text

/** Quotes a word of the source for a message; long words are cut. */
export const quote = (word: string): string =>
  `'${word.length > 60 ? `${word.slice(0, 59).toWellFormed()}…` : word}'`
