import type { JournalEntry } from '../domain/run.ts'
import { TimeSlice } from '../common/time-slice.ts'
import type { CarriedStep, Reason } from './plan.ts'

/** The journal of the earlier run while the carried-over entries are determined. */
export class OldJournal {
  readonly #entries = new Map<string, JournalEntry>()
  /** Sorted, so that all entries inside a place are adjacent. */
  #paths: readonly string[] = []
  readonly #carried = new Set<string>()
  readonly #reasons = new Map<string, { readonly reason: Reason; readonly detail?: string | undefined }>()

  static async of(entries: readonly JournalEntry[]): Promise<OldJournal> {
    const journal = new OldJournal()
    await inTurns(entries, (entry) => journal.#entries.set(entry.path, entry))
    journal.#paths = [...journal.#entries.keys()].toSorted()
    return journal
  }

  entry(path: string): JournalEntry | undefined {
    return this.#entries.get(path)
  }

  /** Paths at and inside this place. */
  within(place: string): readonly string[] {
    return this.#from(place).filter((path) => isWithin(path, place))
  }

  hasInside(place: string): boolean {
    return this.within(place).some((path) => path !== place)
  }

  /** Indexes of the started items of a `foreach`. */
  items(place: string): readonly number[] {
    const start = `${place}[`
    const found = new Set(this.#from(start).map((path) => Number.parseInt(path.slice(start.length), 10)))
    return [...found].toSorted((a, b) => a - b)
  }

  carry(path: string): void {
    if (!this.#entries.has(path)) return
    this.#carried.add(path)
    this.#reasons.delete(path)
  }

  /** Keeps the first reason. */
  refuse(paths: Iterable<string>, reason: Reason, detail?: string): void {
    for (const path of paths) {
      this.#carried.delete(path)
      if (this.#entries.has(path) && !this.#reasons.has(path)) this.#reasons.set(path, { reason, detail })
    }
  }

  /**
   * Marks an unhandled failure: the step runs again, and the steps that ran because of it are not carried
   * over.
   */
  undo(paths: Iterable<string>): void {
    for (const path of paths) {
      const isConsequence = /(^|\/)@(on_error|on_run_error|finally)\//.test(path)
      this.refuse([path], isConsequence ? 'followed_from_end' : 'failed')
    }
  }

  /** In the order of the journal. Entries that the walk did not reach ran because something failed or ended. */
  async verdicts(): Promise<readonly CarriedStep[]> {
    const verdicts: CarriedStep[] = []
    await inTurns(this.#entries.values(), (entry) =>
      verdicts.push(
        this.#carried.has(entry.path)
          ? { entry, reason: null }
          : { entry, ...(this.#reasons.get(entry.path) ?? { reason: 'followed_from_end' as const }) },
      ),
    )
    return verdicts
  }

  /** Paths with this prefix. */
  #from(start: string): readonly string[] {
    const paths = this.#paths
    let low = 0
    let high = paths.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (paths[middle]! < start) low = middle + 1
      else high = middle
    }
    let end = low
    while (paths[end]?.startsWith(start) === true) end++
    return paths.slice(low, end)
  }
}

/** Yields to other tasks in between. */
async function inTurns(entries: Iterable<JournalEntry>, work: (entry: JournalEntry) => void): Promise<void> {
  const turn = new TimeSlice()
  for (const entry of entries) {
    work(entry)
    if (turn.isLong) await turn.yieldToOthers()
  }
}

function isWithin(path: string, place: string): boolean {
  const next = path[place.length]
  return next === undefined || next === '/' || next === '[' || next === '#'
}
