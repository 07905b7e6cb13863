import { performance } from 'node:perf_hooks'
import type { MigrationPlan, MigrationProgress } from '../../server/postgres/move/copy-all.ts'
import { paintError } from './paint.ts'

/** Of two cores that Tocsin and PostgreSQL share; see docs/operations.md. */
const rowsPerSecond = { written: 10_000, compared: 30_000 }
const bytesPerSecond = 8_000_000

/** Between two lines, if standard error is not a terminal. */
const lineMs = 10_000
const terminalMs = 200

/** The progress of a migration on standard error. */
export class MigrationLines implements MigrationProgress {
  readonly #stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>
  readonly #now: () => number
  #rows = 0
  #done = 0
  #begunMs = 0
  #toldMs = -Infinity
  #what = ''
  #isLineOpen = false

  constructor(
    stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
    now: () => number = () => performance.now(),
  ) {
    this.#stream = stream
    this.#now = now
  }

  onPlan({ rows, present, bytes }: MigrationPlan): void {
    this.#rows = rows
    this.#begunMs = this.#now()
    const seconds =
      Math.max((rows - present) / rowsPerSecond.written, (bytes * share(rows, present)) / bytesPerSecond) +
      present / rowsPerSecond.compared
    const there = present > 0 ? `, of which the copy has ${count(present)}` : ''
    this.#stream.write(
      `${count(rows)} rows, ${(bytes / 1_000_000).toFixed(1)} MB${there}; estimated time: ${duration(seconds)}\n`,
    )
  }

  onTable(name: string): void {
    this.#what = name
    this.#tell()
  }

  onRows(rows: number): void {
    this.#done += rows
    this.#tell()
  }

  onStep(what: string): void {
    this.#what = what
    this.#tell()
  }

  /** Ends the line of a terminal. */
  end(): void {
    if (this.#isLineOpen) this.#stream.write('\r\u001B[K')
    this.#isLineOpen = false
  }

  #tell(): void {
    const now = this.#now()
    if (now - this.#toldMs < (this.#stream.isTTY ? terminalMs : lineMs)) return
    this.#toldMs = now
    const percent = this.#rows === 0 ? 100 : Math.min(100, Math.floor((this.#done / this.#rows) * 100))
    const text = `${percent} % of the rows · ${this.#what}${this.#left(now)}`
    this.#isLineOpen = this.#stream.isTTY
    this.#stream.write(this.#stream.isTTY ? `\r\u001B[K${paintError.dim(text)}` : `${text}\n`)
  }

  /** By the pace so far. */
  #left(now: number): string {
    const seconds = (now - this.#begunMs) / 1000
    if (seconds < 5 || this.#done === 0 || this.#done >= this.#rows) return ''
    return ` · ${duration((seconds / this.#done) * (this.#rows - this.#done))} left`
  }
}

const share = (rows: number, present: number): number => (rows === 0 ? 1 : (rows - present) / rows)

const count = (number: number): string => number.toLocaleString('en')

const duration = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`
