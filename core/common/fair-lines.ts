/** Lines that take turns: whoever stands in a short one does not wait for all of a long one. */
export class FairLines<Item> {
  /** In the order of their turns. */
  readonly #lines = new Map<string, Item[]>()

  /** At the end of the line of this name. */
  push(name: string, item: Item): void {
    const line = this.#lines.get(name)
    if (line === undefined) this.#lines.set(name, [item])
    else line.push(item)
  }

  /** The first of the line whose turn it is, which then is behind the others. */
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
