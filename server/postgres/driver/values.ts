import type { SqlValue } from '../../sql/database/columns.ts'

/** How texts are stored; see `../schema/stored-text.ts`. */
export interface StoredTexts {
  /** Of a parameter. */
  toStored(text: string): string
  /** Of a result. */
  fromStored(text: string): string
}

/** A column of a result. */
export interface ResultColumn {
  readonly name: string
  /** Of the text that the server sent; never null. */
  readonly read: (text: string, texts: StoredTexts) => unknown
}

const number = (text: string): number => Number(text)
const readers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => (text === 't' ? 1 : 0), // bool, as SQLite has it
  17: (text) => Buffer.from(text.slice(2), 'hex'), // bytea: \x…
  20: number, // int8
  21: number, // int2
  23: number, // int4
  26: number, // oid
  700: number, // float4
  701: number, // float8
  1700: number, // numeric: sums of int8
}
const readText = (text: string, texts: StoredTexts): string => texts.fromStored(text)

export const columnOf = ({
  name,
  dataTypeID,
}: {
  readonly name: string
  readonly dataTypeID: number
}): ResultColumn => ({
  name,
  read: readers[dataTypeID] ?? readText,
})

/** What a parameter is sent as: text, or bytes for `bytea`. */
export type Parameter = string | Buffer | null

export function toParameter(value: SqlValue, texts: StoredTexts): Parameter {
  if (typeof value === 'string') return texts.toStored(value)
  if (value === null) return null
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

/** Rows from the texts that the server sent. */
export function rowOf(
  fields: readonly ResultColumn[],
  texts: readonly (string | null)[],
  how: StoredTexts,
): unknown {
  const row: Record<string, unknown> = {}
  for (let at = 0; at < fields.length; at++) {
    const column = fields[at] as ResultColumn
    const text = texts[at] ?? null
    row[column.name] = text === null ? null : column.read(text, how)
  }
  return row
}
