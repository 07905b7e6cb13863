import type { JournalEntry } from '../domain/run.ts'
import { HeldTurn } from '../common/held-turn.ts'
import type { CarriedStep, Reason } from './plan.ts'

/** The journal of the run before, while it is found out what of it is carried over. */
export class OldJournal {
  readonly #entries = new Map<string, JournalEntry>()
  /** Sorted: what stands inside of a place stands together. */
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

  /** Paths at this place and inside of it. */
  within(place: string): readonly string[] {
    return this.#from(place).filter((path) => isWithin(path, place))
  }

  hasInside(place: string): boolean {
    return this.within(place).some((path) => path !== place)
  }

  /** Indexes of the items of a `foreach` that were begun. */
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

  /** The first reason stands. */
  refuse(paths: Iterable<string>, reason: Reason, detail?: string): void {
    for (const path of paths) {
      this.#carried.delete(path)
      if (this.#entries.has(path) && !this.#reasons.has(path)) this.#reasons.set(path, { reason, detail })
    }
  }

  /** A failure that nothing handled: it is to be done again, and what was done because of it does not count. */
  undo(paths: Iterable<string>): void {
    for (const path of paths) {
      const isConsequence = /(^|\/)@(on_error|on_run_error|finally)\//.test(path)
      this.refuse([path], isConsequence ? 'followed_from_end' : 'failed')
    }
  }

  /** In the order of the journal. What nobody came past was done because something had failed or ended. */
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

  /** Those that begin so. */
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

/** Others are served in between. */
async function inTurns(entries: Iterable<JournalEntry>, work: (entry: JournalEntry) => void): Promise<void> {
  const turn = new HeldTurn()
  for (const entry of entries) {
    work(entry)
    if (turn.isLong) await turn.giveWay()
  }
}

function isWithin(path: string, place: string): boolean {
  const next = path[place.length]
  return next === undefined || next === '/' || next === '[' || next === '#'
}
