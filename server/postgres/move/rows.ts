import type { SqlValue } from '../../sql/database/columns.ts'
import { toStored } from '../schema/index.ts'
import type { CopiedColumn, ColumnType, CopiedTable } from './tables.ts'

/**
 * A row in the form in which both databases are compared, by the order of the columns: numbers as text, blobs in hex. Types are not needed:
 * each column has one.
 */
export type CopiedRow = readonly (string | null)[]

/** The primary key of a row. */
export type Key = readonly string[]

/** Rows after one key, up to another one. Undefined: from the first, to the last. */
export interface KeyRange {
  readonly after: Key | undefined
  readonly upTo: Key | undefined
}

export const everything: KeyRange = { after: undefined, upTo: undefined }

/**
 * Rows whose order is the same in both databases. Texts with U+0000 or U+FDD0 are stored in another form in PostgreSQL, and so in another
 * order (see `stored-text.ts`): rows with such keys are `marked` and read apart.
 */
export interface Rows {
  readonly table: CopiedTable
  readonly isMarked: boolean
}

/** Of each table: its rows, in one part or two. */
export const rowPartsOf = (table: CopiedTable): readonly Rows[] =>
  table.key.some(({ type }) => type === 'TEXT')
    ? [false, true].map((isMarked) => ({ table, isMarked }))
    : [{ table, isMarked: false }]

/** What differs between the SQL of both databases. */
export interface KeyDialect {
  /** The stored form of a key in PostgreSQL. */
  stored(column: string): string
  /** Whether a text has characters that PostgreSQL stores in another form. */
  isMarked(column: string): string
  /** Value for a comparison with `stored(column)`. */
  storedValue(text: string): string
}

/** Its statements read SQLite, where `stored_form` is a function of the connection. */
export const sqliteKeys: KeyDialect = {
  stored: (column) => `stored_form(${column})`,
  isMarked: (column) => `instr(${column}, char(0)) + instr(${column}, char(64976)) > 0`,
  storedValue: toStored,
}

/** The driver replaces texts in both directions. */
export const postgresKeys: KeyDialect = {
  stored: (column) => column,
  isMarked: (column) => `strpos(${column}, chr(64976)) > 0`,
  storedValue: (text) => text,
}

export interface SqlText {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** Keys and sizes in bytes of the first rows of a range. */
export function selectSizes(rows: Rows, range: KeyRange, dialect: KeyDialect, limit: number): SqlText {
  const { columns, key, name } = rows.table
  const keys = key.map((column, index) => `${readOf(column)} AS k${index}`).join(', ')
  const sizes = columns
    .filter(({ type }) => type !== 'INTEGER' && type !== 'REAL')
    .map((column) => `coalesce(octet_length(${column.name}), 0)`)
  const size = [`${columns.length * 4}`, ...sizes].join(' + ')
  const { sql, values } = conditionOf(rows, range, dialect)
  return {
    sql: `SELECT ${keys}, ${size} AS size FROM ${name}${sql} ORDER BY ${orderOf(rows, dialect)} LIMIT ${limit}`,
    values,
  }
}

export function selectRows(rows: Rows, range: KeyRange, dialect: KeyDialect, limit: number): SqlText {
  const { columns, name } = rows.table
  const selected = columns.map((column, index) => `${readOf(column)} AS c${index}`).join(', ')
  const { sql, values } = conditionOf(rows, range, dialect)
  return {
    sql: `SELECT ${selected} FROM ${name}${sql} ORDER BY ${orderOf(rows, dialect)} LIMIT ?`,
    values: [...values, limit],
  }
}

export function selectAny(rows: Rows, range: KeyRange, dialect: KeyDialect): SqlText {
  const { sql, values } = conditionOf(rows, range, dialect)
  return { sql: `SELECT 1 AS found FROM ${rows.table.name}${sql} LIMIT 1`, values }
}

export function deleteRows(rows: Rows, range: KeyRange, dialect: KeyDialect): SqlText {
  const { sql, values } = conditionOf(rows, range, dialect)
  return { sql: `DELETE FROM ${rows.table.name}${sql}`, values }
}

export const countRows = ({ name, where }: CopiedTable): string =>
  `SELECT count(*) AS count FROM ${name}${where === undefined ? '' : ` WHERE ${where}`}`

/** Integers as text, because they may be above 2^53. */
function readOf({ name, type }: CopiedColumn): string {
  if (type === 'INTEGER') return `CAST(${name} AS TEXT)`
  return name
}

function orderOf({ table, isMarked }: Rows, dialect: KeyDialect): string {
  return table.key.map((column) => orderedBy(column, isMarked, dialect)).join(', ')
}

const orderedBy = ({ name, type }: CopiedColumn, isMarked: boolean, dialect: KeyDialect): string =>
  isMarked && type === 'TEXT' ? dialect.stored(name) : name

function conditionOf({ table, isMarked }: Rows, { after, upTo }: KeyRange, dialect: KeyDialect): SqlText {
  const { key, where } = table
  const texts = key.filter(({ type }) => type === 'TEXT').map(({ name }) => dialect.isMarked(name))
  const marked = texts.length === 0 ? [] : [`${isMarked ? '' : 'NOT '}(${texts.join(' OR ')})`]
  const columns = key.map((column) => orderedBy(column, isMarked, dialect))
  const left = columns.length === 1 ? columns.join('') : `(${columns.join(', ')})`
  const right = columns.length === 1 ? '?' : `(${columns.map(() => '?').join(', ')})`
  const valuesOf = (values: Key): readonly SqlValue[] =>
    key.map(({ type }, index) => {
      const value = values[index] ?? ''
      return isMarked && type === 'TEXT' ? dialect.storedValue(value) : sqliteValueOf(type, value)
    })
  const conditions = [
    ...(where === undefined ? [] : [where]),
    ...marked,
    ...(after === undefined ? [] : [`${left} > ${right}`]),
    ...(upTo === undefined ? [] : [`${left} <= ${right}`]),
  ]
  return {
    sql: conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`,
    values: [...(after === undefined ? [] : valuesOf(after)), ...(upTo === undefined ? [] : valuesOf(upTo))],
  }
}

/** A value of a row for a parameter of SQLite, or for a comparison of keys. */
export function sqliteValueOf(type: ColumnType, value: string | null): SqlValue {
  if (value === null) return null
  if (type === 'INTEGER' || (type === 'FACT' && wholeNumber.test(value))) return BigInt(value)
  if (type === 'BLOB') return Buffer.from(value, 'hex')
  return type === 'REAL' ? Number(value) : value
}

const wholeNumber = /^(?:0|-?[1-9]\d{0,17})$/

/** A value that a database gave. */
function readValue(type: ColumnType, value: unknown): string | null {
  if (value === null) return null
  if (typeof value === 'string' && type !== 'BLOB') return value
  if (typeof value === 'number' && (type === 'REAL' || type === 'FACT')) return String(value)
  if (value instanceof Uint8Array && (type === 'BLOB' || type === 'FACT'))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString(
      type === 'BLOB' ? 'hex' : 'base64',
    )
  throw new TypeError(`a column of the type ${type} has a value of the type ${typeof value}`)
}

export const readRow = (table: CopiedTable, found: Found): CopiedRow =>
  table.columns.map(({ type }, index) => readValue(type, found[`c${index}`]))

export function primaryKeyOf({ columns, key }: CopiedTable, row: CopiedRow): Key {
  return key.map(({ name }) => row[columns.findIndex((column) => column.name === name)] ?? '')
}

/** A row as a database gives it. */
export type Found = Readonly<Record<string, unknown>>

export const readPrimaryKey = ({ key }: CopiedTable, found: Found): Key =>
  key.map(({ type }, index) => readValue(type, found[`k${index}`]) ?? '')
