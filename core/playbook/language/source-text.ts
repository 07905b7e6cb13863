import type { Place } from './playbook.ts'

/** A stretch of the source: UTF-16 offsets, `end` exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A source text that knows where its lines begin. */
export class SourceText {
  /** Without byte order mark. */
  readonly text: string
  readonly #lineStarts: readonly number[]

  constructor(text: string) {
    this.text = text
    const starts = [0]
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
    this.#lineStarts = starts
  }

  /** Line and column, both from 1. */
  place(offset: number): Place {
    const at = Math.max(0, Math.min(offset, this.text.length))
    let low = 0
    let high = this.#lineStarts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (this.#lineStarts[middle]! <= at) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: at - this.#lineStarts[low]! + 1 }
  }

  /** The offset of a line and column; beyond the end of a line, or of the text, it is that end. */
  offset({ line, column }: Place): number {
    const start = this.#lineStarts[line - 1]
    if (start === undefined) return this.text.length
    const next = this.#lineStarts[line]
    return Math.min(start + column - 1, next === undefined ? this.text.length : next - 1)
  }
}

/**
 * The text of a source that may be bytes. `invalidAt` is the offset of the first place that is no Unicode text: bytes that
 * are not UTF-8, or half of a surrogate pair.
 */
export function decode(source: string | Uint8Array): { readonly text: string; readonly invalidAt?: number } {
  if (typeof source === 'string') {
    if (source.isWellFormed()) return { text: source }
    const text = source.toWellFormed()
    return { text, invalidAt: firstDifference(text, source) }
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(source) }
  } catch {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    const text = decoder.decode(source)
    // What was replaced comes back as other bytes.
    const at = firstDifference(new TextEncoder().encode(text), source)
    return { text, invalidAt: decoder.decode(source.subarray(0, at)).length }
  }
}

function firstDifference<T extends string | Uint8Array>(a: T, b: T): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}
