import { createHash } from 'node:crypto'
import type { SourcePlace } from './playbook.ts'

export type { Span } from '../../expression/index.ts'

/** A source text with its line starts. */
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
  place(offset: number): SourcePlace {
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

  /** The offset of a line and column, at most the end of the line or text. */
  offset({ line, column }: SourcePlace): number {
    const start = this.#lineStarts[line - 1]
    if (start === undefined) return this.text.length
    const next = this.#lineStarts[line]
    return Math.min(start + column - 1, next === undefined ? this.text.length : next - 1)
  }
}

/**
 * Decodes a source. `invalidAt` is the offset of the first invalid place: bytes that are not UTF-8, or half
 * of a surrogate pair.
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
    // Replaced parts encode to different bytes.
    const at = firstDifference(new TextEncoder().encode(text), source)
    return { text, invalidAt: decoder.decode(source.subarray(0, at)).length }
  }
}

function firstDifference<T extends string | Uint8Array>(a: T, b: T): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}

/** The content hash of a playbook: SHA-256 of its source, hex. */
export function contentHash(source: string): string {
  return createHash('sha256').update(source).digest('hex')
}
