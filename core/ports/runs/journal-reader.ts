import type { FailedAttempt, JournalEntry, Resolution } from '../../domain/run.ts'
import type { Page, PageRequest } from '../common.ts'

/** Reads journals piece by piece: one can have hundreds of thousands of lines, and each line megabytes. */
export interface LineStore {
  /** The lines behind a row, or the first ones, in the order in which their steps began. */
  stretch(runUuid: string, request: StretchRequest): Promise<Stretch>
  /**
   * One page in the order in which their steps began, or turned round; it ends early where inputs and outputs come to more than `bytes`, but for
   * one line.
   */
  page(runUuid: string, request: PageRequest & { readonly bytes: number }): Promise<Page<Line>>
  /** Undefined where it is not there any more. */
  line(row: number): Promise<Line | undefined>
  /** How these lines stand, without what is large; of those that are there. */
  moves(rows: readonly number[]): Promise<readonly LineMove[]>
  /** Row by place, from 0, of those places that the journal has. */
  rowsAt(runUuid: string, places: readonly number[]): Promise<ReadonlyMap<number, number>>
}

export interface StretchRequest {
  /** Row of the line before; undefined: from the first line. */
  readonly after: number | undefined
  /** So many lines are looked at. */
  readonly lines: number
  /** The inputs and outputs of those that are read come to no more than this, unless it is one line that has more. */
  readonly bytes: number
  /** Only steps of these kinds are read. Default: all. */
  readonly kinds?: readonly string[]
  /** Only lines are read whose input and output have no more than this. Default: all. */
  readonly maxBytes?: number
  /** Outputs are not read, and do not count: they are null. Default false. */
  readonly withoutOutputs?: boolean
}

export interface Stretch {
  readonly lines: readonly Line[]
  /** Row behind which the next stretch begins; undefined: this one reaches to the end. */
  readonly next: number | undefined
}

/** One line of a journal. */
export interface Line {
  /** Its key among the lines of all runs; later lines have higher ones. Not to be shown: it tells how much others do. */
  readonly row: number
  readonly entry: JournalEntry
  readonly failedAttempts: readonly FailedAttempt[]
}

/** What changes in a line until its step has ended. */
export interface LineMove extends Pick<JournalEntry, 'state' | 'attempt'> {
  readonly row: number
  readonly resolvedAt: Resolution['at'] | undefined
  readonly failedAttempts: number
}
