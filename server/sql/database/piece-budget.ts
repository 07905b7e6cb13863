/** Limits the work of one write, so that others wait for a few milliseconds at most. */
export class PieceBudget {
  #rows = 500
  #bytes = 1_048_576

  take(rows: number, bytes = 0): void {
    this.#rows -= rows
    this.#bytes -= bytes
  }

  get isSpent(): boolean {
    return this.#rows <= 0 || this.#bytes <= 0
  }

  /** At least one. */
  get rows(): number {
    return Math.max(1, this.#rows)
  }
}
