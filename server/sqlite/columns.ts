/** How values stand in columns. */

import { parseJson, stringifyJson } from '../../core/json.ts'

/** More than can be written: what has been stored must be readable. */
const maxStoredDepth = 100_000

/**
 * JSON text, or null for undefined. JSON escapes unpaired surrogates and `core/json.ts` keeps long integers, so every value
 * comes back as it was.
 */
export function toJson(value: unknown): string | null {
  return value === undefined ? null : stringifyJson(value)
}

/** The caller names the type: what stands in the column was written by `toJson` with a value of that type. */
export function fromJson<T>(text: string): T
export function fromJson<T>(text: string | null): T | null
export function fromJson<T>(text: string | null): T | null {
  return text === null ? null : (parseJson(text, { maxDepth: maxStoredDepth }) as T)
}

/**
 * Alert content, kept character for character. UTF-8 cannot hold an unpaired surrogate (`"\ud800"` is a valid JSON string);
 * such a text is kept as UTF-16LE in a BLOB. Every other text column takes U+FFFD for one.
 */
export function toContent(text: string): string | Buffer {
  return text.isWellFormed() ? text : Buffer.from(text, 'utf16le')
}

export function fromContent(column: string | Buffer): string {
  return typeof column === 'string' ? column : column.toString('utf16le')
}

/** Folded for comparing names that may be any text; codes are ASCII and use COLLATE NOCASE. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase()
}
