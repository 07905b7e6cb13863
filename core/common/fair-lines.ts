/** Fair queues: items of different queues are taken in turn, so a long queue does not delay a short one. */
export class FairLines<Item> {
  /** In the order in which they are served. */
  readonly #lines = new Map<string, Item[]>()

  /** Appends an item to the queue of this name. */
  push(name: string, item: Item): void {
    const line = this.#lines.get(name)
    if (line === undefined) this.#lines.set(name, [item])
    else line.push(item)
  }

  /** How many items the queue of this name has. */
  lengthOf(name: string): number {
    return this.#lines.get(name)?.length ?? 0
  }

  /** Takes the first item of the queue that is served next, and moves that queue behind the others. */
  take(): Item | undefined {
    for (const [name, line] of this.#lines) {
      const first = line.shift()
      this.#lines.delete(name)
      if (line.length > 0) this.#lines.set(name, line)
      return first
    }
    return undefined
  }
}
