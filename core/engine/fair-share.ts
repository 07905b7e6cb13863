/** Of the runs that work at the same time, how many may belong to one organization while there are others. */
const largestShare = 0.8

/**
 * Keeps some turns free for other organizations: runs of one that hang, each until its step's deadline, would otherwise hold up all.
 * Where there is one organization, it may have every turn.
 */
export class FairShare {
  readonly #maxRuns: number
  readonly #active = new Map<string, number>()

  constructor(maxRuns: number) {
    this.#maxRuns = maxRuns
  }

  /** There is this organization. */
  know(organization: string): void {
    if (!this.#active.has(organization)) this.#active.set(organization, 0)
  }

  begin(organization: string): void {
    this.#active.set(organization, (this.#active.get(organization) ?? 0) + 1)
  }

  end(organization: string): void {
    this.#active.set(organization, (this.#active.get(organization) ?? 0) - 1)
  }

  mayBegin(organization: string): boolean {
    if (this.#active.size < 2) return true
    return (this.#active.get(organization) ?? 0) < Math.max(1, Math.floor(this.#maxRuns * largestShare))
  }
}
