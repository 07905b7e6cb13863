import type { Alert } from '../../domain/alert.ts'
import type { Run } from '../../domain/run.ts'

/** A place among the active runs, to be used once. */
export interface Place {
  /** Gives the run its first turn. The store has started it. */
  begin(run: Run, alert?: Alert): void
  release(): void
}

/** Share of the concurrent runs, in percent, that one organization may use if there are several. */
export const defaultSharePercent = 80

/**
 * Reserves turns for other organizations, so that hanging runs of one cannot block all. A single organization may
 * use every turn.
 */
export class FairShare {
  readonly #maxRuns: number
  readonly #sharePercent: number
  readonly #active = new Map<string, number>()
  #working = 0

  constructor(maxRuns: number, sharePercent = defaultSharePercent) {
    this.#maxRuns = maxRuns
    this.#sharePercent = sharePercent
  }

  /** Registers an organization. */
  know(organization: string): void {
    if (!this.#active.has(organization)) this.#active.set(organization, 0)
  }

  /** Uuids of the organizations. */
  known(): Iterable<string> {
    return this.#active.keys()
  }

  /** Keeps a place for a run of an organization. Undefined: there is none now. */
  reserve(organization: string, then: Place): Place | undefined {
    this.know(organization)
    if (!this.hasPlace() || !this.mayBegin(organization)) return undefined
    this.begin(organization)
    return {
      begin: (run, alert) => {
        this.end(organization)
        then.begin(run, alert)
      },
      release: () => {
        this.end(organization)
        then.release()
      },
    }
  }

  begin(organization: string): void {
    this.#working++
    this.#active.set(organization, (this.#active.get(organization) ?? 0) + 1)
  }

  end(organization: string): void {
    this.#working--
    this.#active.set(organization, (this.#active.get(organization) ?? 0) - 1)
  }

  /** Of any organization. */
  hasPlace(): boolean {
    return this.#working < this.#maxRuns
  }

  mayBegin(organization: string): boolean {
    const { working, most } = this.of(organization)
    return this.#active.size < 2 || working < most
  }

  /** Organizations with active runs, and how many they have. */
  working(): ReadonlyMap<string, number> {
    return new Map([...this.#active].filter(([, count]) => count > 0))
  }

  /** The active runs of an organization and their maximum. */
  of(organization: string): { readonly working: number; readonly most: number } {
    const share = Math.max(1, Math.floor((this.#maxRuns * this.#sharePercent) / 100))
    return {
      working: this.#active.get(organization) ?? 0,
      most: this.#active.size < 2 ? this.#maxRuns : share,
    }
  }
}
