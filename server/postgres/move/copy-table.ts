import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { ConflictError } from '../../../core/errors/errors.ts'
import {
  deleteRows,
  everything,
  primaryKeyOf,
  rowPartsOf,
  readPrimaryKey,
  readRow,
  selectAny,
  selectRows,
  selectSizes,
  type Key,
  type KeyRange,
  type CopiedRow,
  type Rows,
} from './rows.ts'
import type { CopySide } from './sides.ts'
import type { CopiedTable } from './tables.ts'

/** Most of what is read, written and compared at once. */
const maxRows = 1000
const maxBytes = 4_194_304

export interface TableCopy {
  readonly table: string
  readonly rows: number
  /** Rows that were written; the others were there. */
  readonly written: number
  /** SHA-256 over the SHA-256 of each chunk of rows, which are the same in both databases. */
  readonly sha256: string
}

export interface CopyOptions {
  readonly from: CopySide
  readonly to: CopySide
  /** Called with the numbers of rows and bytes that were compared, or written and compared. */
  readonly onRows?: (rows: number, isWritten: boolean) => void
}

/**
 * Makes the rows of `to` equal to those of `from`, and reads everything back. Can be repeated after an interruption, and after `from` was
 * changed: chunks that are equal are not written again.
 *
 * @throws ConflictError `copy_differs` if a row is read back different, which names its key
 */
export async function copyTable(table: CopiedTable, options: CopyOptions): Promise<TableCopy> {
  const digest = createHash('sha256')
  let [rows, written] = [0, 0]
  for (const part of rowPartsOf(table)) {
    for (const chunk of await copyPart(part, options)) {
      digest.update(chunk.sha256)
      rows += chunk.rows
      written += chunk.written
    }
  }
  return { table: table.name, rows, written, sha256: digest.digest('hex') }
}

/** Rows that are equal in both databases. */
interface Chunk {
  readonly rows: number
  readonly written: number
  readonly sha256: Buffer
}

/** Rows that differ. `to` has only the first ones, which are equal. */
interface Difference {
  readonly range: KeyRange
  readonly present: number
}

async function copyPart(rows: Rows, options: CopyOptions): Promise<readonly Chunk[]> {
  // Before anything is written, so that a row never meets an outdated row with the same unique value.
  const found = await compareChunks(rows, options)
  const chunks: Chunk[] = []
  for (const each of found)
    if ('sha256' in each) chunks.push(each)
    else for await (const chunk of writeChunks(rows, each, options)) chunks.push(chunk)
  return chunks
}

/** In the order of the keys. The last one ends the table. */
async function compareChunks(rows: Rows, options: CopyOptions): Promise<readonly (Chunk | Difference)[]> {
  const { from, to } = options
  const chunks: (Chunk | Difference)[] = []
  let range = everything
  while ((await to.all(selectAny(rows, range, to.dialect))).length > 0) {
    const expected = await readChunk(rows, range, from)
    chunks.push(await compareChunk(rows, expected, options))
    if (expected.range.upTo === undefined) return chunks
    range = { after: expected.range.upTo, upTo: undefined }
  }
  return [...chunks, { range, present: 0 }]
}

/** Deletes what differs. Rows that were added at the end are no difference, since tables such as the audit log only grow. */
async function compareChunk(
  rows: Rows,
  { range, rows: expected }: ReadRows,
  { to, onRows }: CopyOptions,
): Promise<Chunk | Difference> {
  const found = await readRows(rows, range, to, expected.length + 1)
  const sha256 = digestOf(expected)
  if (sha256.equals(digestOf(found))) {
    onRows?.(expected.length, false)
    return { rows: expected.length, written: 0, sha256 }
  }
  const at = expected.findIndex((row, index) => lineOf(row) !== lineOf(found[index]))
  const present = at < 0 ? expected.length : at
  const last = expected[present - 1]
  const after = last === undefined ? range.after : primaryKeyOf(rows.table, last)
  if (found.length > present) await to.remove(deleteRows(rows, { after, upTo: range.upTo }, to.dialect))
  return { range, present }
}

async function* writeChunks(
  rows: Rows,
  { range, present }: Difference,
  options: CopyOptions,
): AsyncGenerator<Chunk> {
  let next: ReadRows | undefined = await readChunk(rows, range, options.from)
  for (let there = present; next !== undefined; there = 0) {
    const chunk: ReadRows = next
    const write = () => writeChunk(rows, chunk, there, options)
    const read = async () =>
      chunk.range.upTo === range.upTo
        ? undefined
        : readChunk(rows, { after: chunk.range.upTo, upTo: range.upTo }, options.from)
    const [written, following] = await (options.from.isBlocking
      ? together(write, read)
      : together(read, write).then(([one, other]) => [other, one] as const))
    yield written
    next = following
  }
}

/** Sends what the first needs before the second begins, which may block this thread. */
async function together<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<readonly [A, B]> {
  const begun = first()
  await Promise.race([begun, setImmediate()])
  return Promise.all([begun, second()])
}

/** @param present number of rows that `to` has */
async function writeChunk(
  rows: Rows,
  chunk: ReadRows,
  present: number,
  { to, onRows }: CopyOptions,
): Promise<Chunk> {
  const { length } = chunk.rows
  const sha256 = digestOf(chunk.rows)
  if (length > present) await to.insert(rows.table, chunk.rows.slice(present))
  const found = await readRows(rows, chunk.range, to, length + 1)
  if (!sha256.equals(digestOf(found))) throw differs(rows.table, chunk.rows, found)
  onRows?.(length, true)
  return { rows: length, written: length - present, sha256 }
}

interface ReadRows {
  /** From the beginning of what was asked for. */
  readonly range: KeyRange
  readonly rows: readonly CopiedRow[]
}

/** The first rows of a range. */
async function readChunk(rows: Rows, range: KeyRange, side: CopySide): Promise<ReadRows> {
  const sizes = await side.all(selectSizes(rows, range, side.dialect, maxRows))
  let [bytes, count] = [0, 0]
  for (const { size } of sizes) {
    bytes += Number(size)
    if (bytes > maxBytes && count > 0) break
    count++
  }
  const isLast = count === sizes.length && sizes.length < maxRows
  const last = sizes[count - 1]
  const upTo: Key | undefined = isLast || last === undefined ? range.upTo : readPrimaryKey(rows.table, last)
  const read = { after: range.after, upTo }
  return { range: read, rows: count === 0 ? [] : await readRows(rows, read, side, count) }
}

async function readRows(
  rows: Rows,
  range: KeyRange,
  side: CopySide,
  limit: number,
): Promise<readonly CopiedRow[]> {
  const found = await side.all(selectRows(rows, range, side.dialect, limit))
  return found.map((row) => readRow(rows.table, row))
}

function digestOf(rows: readonly CopiedRow[]): Buffer {
  const digest = createHash('sha256')
  for (const row of rows) digest.update(`${lineOf(row)}\n`)
  return digest.digest()
}

const lineOf = (row: CopiedRow | undefined): string => JSON.stringify(row ?? null)

function differs(
  table: CopiedTable,
  expected: readonly CopiedRow[],
  found: readonly CopiedRow[],
): ConflictError {
  const at = expected.findIndex((row, index) => lineOf(row) !== lineOf(found[index]))
  const [row, copy] = [expected[at], found[at < 0 ? expected.length : at]]
  const key = primaryKeyOf(table, row ?? copy ?? [])
  const isThere = row !== undefined && copy !== undefined && lineOf(primaryKeyOf(table, copy)) === lineOf(key)
  const columns = table.columns.filter((_, index) => row?.[index] !== copy?.[index])
  const how = isThere
    ? `differs in ${columns.map(({ name }) => name).join(', ')}`
    : row === undefined
      ? 'is in the copy only'
      : 'is missing in the copy'
  const named = table.key.map(({ name }, index) => `${name} = ${key[index]?.slice(0, 100)}`).join(', ')
  return new ConflictError('copy_differs', `the row of ${table.name} with ${named} ${how}`, {
    hint: 'Run the command again. If the row still differs, report it as a bug; the original data is unchanged.',
    details: { table: table.name, key },
  })
}
