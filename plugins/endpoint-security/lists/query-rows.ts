import { isObject, type JsonObject } from 'tocsin/plugin'

/** Of all rows together, in characters of JSON: what a journal can hold without harm. */
const mostCharacters = 2_000_000

/** Of the rows that a query finds; there may be more of them. */
const vendorStopsAt = 100_000

export interface QueryRows {
  readonly rows: readonly JsonObject[]
  readonly row_count: number
  readonly truncated: boolean
}

/** The first rows of a result: at most so many, and at most 2 MB of them. */
export function queryRows(results: readonly unknown[], maxRows: number): QueryRows {
  const rows: JsonObject[] = []
  let characters = 0
  for (const row of results) {
    if (!isObject(row)) continue
    characters += sizeOf(row)
    if (rows.length === maxRows || characters > mostCharacters) break
    rows.push(row)
  }
  const truncated = rows.length < results.length || results.length >= vendorStopsAt
  return { rows, row_count: results.length, truncated }
}

const sizeOf = (row: JsonObject): number =>
  JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)).length
