/** How values stand in columns. */

import { parseJson, stringifyJson } from '../../../core/common/json.ts'

/** Values that can be bound to a parameter; the caller binds a boolean as 0 or 1. */
export type Value = string | number | bigint | Uint8Array | null

/** The reading part of a database, for what the database itself is made of. */
export interface SqlReader {
  one<Row>(sql: string, ...values: Value[]): Row
}

/** More than can be written: what has been stored must be readable. */
const maxStoredDepth = 100_000

/**
 * JSON text, or null for undefined. JSON escapes unpaired surrogates and `core/common/json.ts` keeps long integers, so every value
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

/** Folded for comparing names that may be any text; codes are ASCII and use COLLATE NOCASE. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase()
}
