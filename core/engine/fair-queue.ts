interface Line {
  readonly ids: string[]
  /** Index of the first one that has not been taken. */
  head: number
}

/** A queue of ids in which every organization has its own line, and the lines take turns: none can starve another. */
export class FairQueue {
  /** In the order of their turns. */
  readonly #lines = new Map<string, Line>()
  #size = 0

  get size(): number {
    return this.#size
  }

  push(organization: string, id: string): void {
    const line = this.#lines.get(organization)
    if (line) line.ids.push(id)
    else this.#lines.set(organization, { ids: [id], head: 0 })
    this.#size++
  }

  take(): string | undefined {
    for (const [organization, line] of this.#lines) {
      const id = line.ids[line.head++]
      this.#size--
      // Behind all others; gone when nobody stands in it.
      this.#lines.delete(organization)
      if (line.head < line.ids.length) this.#lines.set(organization, shortened(line))
      return id
    }
    return undefined
  }
}

/** Forgets what has been taken, once that is most of the line. */
function shortened(line: Line): Line {
  return line.head < 1_000 || line.head * 2 < line.ids.length
    ? line
    : { ids: line.ids.slice(line.head), head: 0 }
}
