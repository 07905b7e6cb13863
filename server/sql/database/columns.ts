/** Conversion of values to and from columns. */

import { parseJson, stringifyJson } from '../../../core/common/json.ts'

/** Values that can be bound to a parameter; the caller binds a boolean as 0 or 1. */
export type SqlValue = string | number | bigint | Uint8Array | null

/** More than the limit for writes, so that all stored values are readable. */
const maxStoredDepth = 100_000

/**
 * JSON text, or null for undefined. JSON escapes unpaired surrogates and `core/common/json.ts` keeps long integers, so every value
 * comes back as it was.
 */
export function toJson(value: unknown): string | null {
  return value === undefined ? null : stringifyJson(value)
}

/** The caller names the type: `toJson` wrote the column from a value of that type. */
export function fromJson<T>(text: string): T
export function fromJson<T>(text: string | null): T | null
export function fromJson<T>(text: string | null): T | null {
  return text === null ? null : (parseJson(text, { maxDepth: maxStoredDepth }) as T)
}

/** Folds the case of ASCII letters, as `lower()` of both databases. For codes and names of roles: `lower(code) = ?`. */
export function foldAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Folds case to compare arbitrary names. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase()
}
