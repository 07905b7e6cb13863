/** Of the runs that work at the same time, how many of a hundred may belong to one organization while there are others. */
export const defaultSharePercent = 80

/**
 * Keeps some turns free for other organizations: runs of one that hang, each until its step's deadline, would otherwise hold up all.
 * Where there is one organization, it may have every turn.
 */
export class FairShare {
  readonly #maxRuns: number
  readonly #sharePercent: number
  readonly #active = new Map<string, number>()

  constructor(maxRuns: number, sharePercent = defaultSharePercent) {
    this.#maxRuns = maxRuns
    this.#sharePercent = sharePercent
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
    const { working, most } = this.of(organization)
    return this.#active.size < 2 || working < most
  }

  /** How many runs of an organization work, and how many may at most: all, where it is the only one. */
  of(organization: string): { readonly working: number; readonly most: number } {
    const share = Math.max(1, Math.floor((this.#maxRuns * this.#sharePercent) / 100))
    return {
      working: this.#active.get(organization) ?? 0,
      most: this.#active.size < 2 ? this.#maxRuns : share,
    }
  }
}
