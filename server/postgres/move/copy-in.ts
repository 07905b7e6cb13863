import type pg from 'pg'
import { asFailure } from '../driver/errors.ts'

/**
 * `COPY … FROM STDIN` with data in memory, in the text format of COPY. Its own transaction, unless the session is in one. Gives the number of
 * rows.
 */
export function copyIn(session: pg.Client, sql: string, data: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    session.query(
      new CopyIn(sql, data, (count, error) =>
        count === undefined ? reject(asFailure(error)) : resolve(count),
      ) as unknown as pg.Submittable,
    )
  })
}

/** What a copy needs of the connection of `pg`. */
interface Wire {
  query(sql: string): void
  sendCopyFromChunk(data: Buffer): void
  endCopyFrom(): void
}

/** A `Submittable` of `pg`. */
class CopyIn {
  readonly #sql: string
  readonly #data: Buffer
  readonly #tell: (count: number | undefined, error: unknown) => void
  #count = 0

  constructor(sql: string, data: Buffer, tell: (count: number | undefined, error: unknown) => void) {
    this.#sql = sql
    this.#data = data
    this.#tell = tell
  }

  /** `pg` would install its own without one. */
  callback(): void {}

  submit(wire: Wire): void {
    wire.query(this.#sql)
  }

  handleCopyInResponse(wire: Wire): void {
    wire.sendCopyFromChunk(this.#data)
    wire.endCopyFrom()
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#count = Number(text.slice(text.lastIndexOf(' ') + 1))
  }

  handleReadyForQuery(): void {
    this.#tell(this.#count, undefined)
  }

  /** Of the statement or of the connection. `pg` tells nothing more afterwards. */
  handleError(error: Error): void {
    this.#tell(undefined, error)
  }
}
