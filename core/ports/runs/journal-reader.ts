import type { FailedAttempt, JournalEntry, Resolution } from '../../domain/run.ts'
import type { ListPage, ListRequest } from '../common.ts'

/** Reads journals in chunks: a journal can have hundreds of thousands of lines, and a line can be megabytes large. */
export interface JournalReader {
  /** The lines after a row, or the first ones, in the order in which their steps began. */
  readChunk(runUuid: string, request: ChunkRequest): Promise<JournalChunk>
  /** One page, oldest or newest first. Ends early when inputs and outputs exceed `bytes`, but has at least one line. */
  page(runUuid: string, request: ListRequest & { readonly bytes: number }): Promise<ListPage<JournalLine>>
  /** Undefined for a row that was deleted. */
  line(row: number): Promise<JournalLine | undefined>
  /** The states of these lines, without inputs and outputs; deleted rows are left out. */
  states(rows: readonly number[]): Promise<readonly JournalLineState[]>
  /** Maps places in the journal, counted from 0, to rows; places beyond its end are left out. */
  rowsAt(runUuid: string, places: readonly number[]): Promise<ReadonlyMap<number, number>>
}

export interface ChunkRequest {
  /** Row of the line before the chunk. Undefined: from the first line. */
  readonly after: number | undefined
  /** Maximum of lines that are examined. */
  readonly lines: number
  /** Maximum of bytes of inputs and outputs; a single larger line is still read. */
  readonly bytes: number
  /** Kinds of steps to read. Default: all. */
  readonly kinds?: readonly string[]
  /** Skips lines whose input and output are larger. Default: none. */
  readonly maxBytes?: number
  /** Reads outputs as null, and does not count their bytes. Default false. */
  readonly withoutOutputs?: boolean
}

export interface JournalChunk {
  readonly lines: readonly JournalLine[]
  /** `after` of the next chunk; undefined at the end of the journal. */
  readonly next: number | undefined
}

/** One line of a journal. */
export interface JournalLine {
  /** Rising key among the lines of all runs. Never shown: it would reveal the activity of other organizations. */
  readonly row: number
  readonly entry: JournalEntry
  readonly failedAttempts: readonly FailedAttempt[]
}

/** The fields of a line that change until its step ends. */
export interface JournalLineState extends Pick<JournalEntry, 'state' | 'attempt'> {
  readonly row: number
  readonly resolvedAt: Resolution['at'] | undefined
  /** Number of failed attempts. */
  readonly failedAttempts: number
}
