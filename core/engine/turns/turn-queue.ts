import type { Alert } from '../../domain/alert.ts'
import type { Run } from '../../domain/run.ts'
import type { RunKey } from '../../ports/runs/run-store.ts'

/** A run that is queued; as it was then, where that is known. */
export interface QueuedRun {
  readonly key: RunKey
  readonly run?: Run | undefined
  readonly alert?: Alert | undefined
}

export interface TurnQueueOptions {
  /** The first of the runs of an organization whose turn has come, from the store. */
  readonly due: (organizationUuid: string, limit: number) => Promise<readonly RunKey[]>
  /** Those that have a turn just now: the store may not know it yet. */
  readonly active: { has(uuid: string): boolean; readonly size: number }
  /** Told when somebody stands in line that did not before. */
  readonly onFilled: () => void
  /** Told when the store could not be read. Resolves when it is to be tried again; rejects to give up. */
  readonly onTrouble: (error: unknown) => Promise<void>
  /** In memory, for each organization. Default 1,000. */
  readonly maxInMemory?: number | undefined
}

interface Line {
  items: QueuedRun[]
  /** Index of the first one that has not been taken. */
  head: number
  /** There may be more in the store, behind those here. */
  isCut: boolean
  isLoading: boolean
}

const defaultInMemory = 1_000

/**
 * Runs that are to have a turn. Every organization has a line of its own, and the lines take turns: none can starve another. The
 * beginning of each line is in memory; the store has all of it.
 */
export class TurnQueue {
  readonly #options: TurnQueueOptions
  readonly #maxInMemory: number
  /** In the order of their turns. */
  readonly #lines = new Map<string, Line>()
  readonly #known = new Set<string>()

  constructor(options: TurnQueueOptions) {
    this.#options = options
    this.#maxInMemory = options.maxInMemory ?? defaultInMemory
  }

  /** In memory. */
  get size(): number {
    return this.#known.size
  }

  /** At the end of its line; one that stands there stays where it is. The store has to know that its turn has come. */
  push(key: RunKey, run?: Run, alert?: Alert): void {
    if (this.#known.has(key.uuid)) return
    const line = this.#line(key.organizationUuid)
    const isBehindOthers = line.isCut || line.isLoading || countOf(line) >= this.#maxInMemory
    if (isBehindOthers) this.lookFor(key.organizationUuid)
    else this.#add(line, { key, run, alert })
  }

  /** There may be runs in the store that were not pushed. */
  lookFor(organizationUuid: string): void {
    const line = this.#line(organizationUuid)
    line.isCut = true
    this.#loadIfShort(organizationUuid, line)
  }

  /** The first of those whose organization may have a turn now. */
  take(mayBegin: (organizationUuid: string) => boolean = () => true): QueuedRun | undefined {
    for (const [organization, line] of this.#lines) {
      const item = line.items[line.head]
      if (item === undefined || !mayBegin(organization)) continue
      forgetFirst(line)
      this.#known.delete(item.key.uuid)
      // Behind all others; gone when nobody stands in it.
      this.#lines.delete(organization)
      if (countOf(line) > 0 || line.isCut || line.isLoading) this.#lines.set(organization, line)
      this.#loadIfShort(organization, line)
      return item
    }
    return undefined
  }

  clear(): void {
    this.#lines.clear()
    this.#known.clear()
  }

  #line(organization: string): Line {
    const known = this.#lines.get(organization)
    if (known) return known
    const line: Line = { items: [], head: 0, isCut: false, isLoading: false }
    this.#lines.set(organization, line)
    return line
  }

  #add(line: Line, item: QueuedRun): void {
    line.items.push(item)
    this.#known.add(item.key.uuid)
  }

  #loadIfShort(organization: string, line: Line): void {
    if (!line.isCut || line.isLoading || countOf(line) > this.#maxInMemory / 2) return
    line.isLoading = true
    void this.#load(organization, line)
  }

  /** Never rejects. */
  async #load(organization: string, line: Line): Promise<void> {
    const { due, active, onFilled, onTrouble } = this.#options
    try {
      // What is pushed from here on may be missing in the answer, and cuts the line again.
      line.isCut = false
      const limit = this.#maxInMemory + countOf(line) + active.size
      const keys = await due(organization, limit)
      if (this.#lines.get(organization) !== line) return
      for (const key of keys) {
        if (!this.#known.has(key.uuid) && !active.has(key.uuid)) this.#add(line, { key })
      }
      if (keys.length >= limit) line.isCut = true
    } catch (error) {
      line.isCut = true
      if (
        await onTrouble(error).then(
          () => false,
          () => true,
        )
      )
        return
    }
    line.isLoading = false
    if (countOf(line) > 0) onFilled()
    else if (!line.isCut) this.#lines.delete(organization)
    this.#loadIfShort(organization, line)
  }
}

const countOf = ({ items, head }: Line): number => items.length - head

/** What has been taken is kept until it is most of the line: to move the rest costs. */
function forgetFirst(line: Line): void {
  line.head++
  if (line.head < 1_000 || line.head * 2 < line.items.length) return
  line.items = line.items.slice(line.head)
  line.head = 0
}
