import { isObject, type JsonObject } from 'tocsin/plugin'

/** Total size of all rows in characters of JSON, chosen to keep journals small. */
const mostCharacters = 2_000_000

/** Number of rows to return; the query may match more. */
const vendorStopsAt = 100_000

export interface QueryRows {
  readonly rows: readonly JsonObject[]
  readonly row_count: number
  readonly truncated: boolean
}

/** The first rows of a result, limited by count and to 2 MB. */
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
