import type { Alert } from '../../domain/alert.ts'
import type { Run } from '../../domain/run.ts'
import type { RunKey } from '../../ports/runs/run-store.ts'

/** A queued run, with its data if known. */
export interface QueuedRun {
  readonly key: RunKey
  readonly run?: Run | undefined
  readonly alert?: Alert | undefined
  /** It was started when it was queued, and has had no turn yet. Default false. */
  readonly isNew?: boolean | undefined
}

export interface TurnQueueOptions {
  /** Reads the first due runs of an organization from the store. */
  readonly due: (organizationUuid: string, limit: number) => Promise<readonly RunKey[]>
  /** The active runs: the store may still list them as due. */
  readonly active: { has(uuid: string): boolean; readonly size: number }
  /** Called when a queue is no longer empty. */
  readonly onFilled: () => void
  /** Called when the store cannot be read. Resolves to retry; rejects to give up. */
  readonly onStoreError: (error: unknown) => Promise<void>
  /** Per organization. Default 1,000. */
  readonly maxInMemory?: number | undefined
}

interface OrganizationQueue {
  items: QueuedRun[]
  /** Index of the first run that was not taken. */
  head: number
  /** The store may have more runs behind these. */
  isCut: boolean
  isLoading: boolean
}

const defaultInMemory = 1_000

/**
 * Due runs, in one queue per organization. The queues take turns, so none can starve another. Memory holds the
 * beginning of each queue; the store holds all.
 */
export class TurnQueue {
  readonly #options: TurnQueueOptions
  readonly #maxInMemory: number
  /** In the order of their turns. */
  readonly #queues = new Map<string, OrganizationQueue>()
  readonly #known = new Set<string>()

  constructor(options: TurnQueueOptions) {
    this.#options = options
    this.#maxInMemory = options.maxInMemory ?? defaultInMemory
  }

  /** In memory. */
  get size(): number {
    return this.#known.size
  }

  /** Appends a run that the store lists as due; no effect if it is queued already. */
  push(key: RunKey, run?: Run, alert?: Alert): void {
    if (this.#known.has(key.uuid)) return
    const queue = this.#queueOf(key.organizationUuid)
    const isBehindOthers = queue.isCut || queue.isLoading || countOf(queue) >= this.#maxInMemory
    if (isBehindOthers) this.loadDue(key.organizationUuid)
    else this.#add(queue, { key, run, alert })
  }

  /** The store may have due runs that were not pushed. */
  loadDue(organizationUuid: string): void {
    const queue = this.#queueOf(organizationUuid)
    queue.isCut = true
    this.#loadIfShort(organizationUuid, queue)
  }

  /** The first run whose organization may begin one now. */
  take(mayBegin: (organizationUuid: string) => boolean = () => true): QueuedRun | undefined {
    for (const [organization, queue] of this.#queues) {
      const item = queue.items[queue.head]
      if (item === undefined || !mayBegin(organization)) continue
      forgetFirst(queue)
      this.#known.delete(item.key.uuid)
      // Behind all others, or removed if empty.
      this.#queues.delete(organization)
      if (countOf(queue) > 0 || queue.isCut || queue.isLoading) this.#queues.set(organization, queue)
      this.#loadIfShort(organization, queue)
      return item
    }
    return undefined
  }

  clear(): void {
    this.#queues.clear()
    this.#known.clear()
  }

  #queueOf(organization: string): OrganizationQueue {
    const known = this.#queues.get(organization)
    if (known) return known
    const queue: OrganizationQueue = { items: [], head: 0, isCut: false, isLoading: false }
    this.#queues.set(organization, queue)
    return queue
  }

  #add(queue: OrganizationQueue, item: QueuedRun): void {
    queue.items.push(item)
    this.#known.add(item.key.uuid)
  }

  #loadIfShort(organization: string, queue: OrganizationQueue): void {
    if (!queue.isCut || queue.isLoading || countOf(queue) > this.#maxInMemory / 2) return
    queue.isLoading = true
    void this.#load(organization, queue)
  }

  /** Never rejects. */
  async #load(organization: string, queue: OrganizationQueue): Promise<void> {
    const { due, active, onFilled, onStoreError } = this.#options
    try {
      // A run pushed from now on may be missing in the page, and sets `isCut` again.
      queue.isCut = false
      const limit = this.#maxInMemory + countOf(queue) + active.size
      const keys = await due(organization, limit)
      if (this.#queues.get(organization) !== queue) return
      for (const key of keys) {
        if (!this.#known.has(key.uuid) && !active.has(key.uuid)) this.#add(queue, { key })
      }
      if (keys.length >= limit) queue.isCut = true
    } catch (error) {
      queue.isCut = true
      if (
        await onStoreError(error).then(
          () => false,
          () => true,
        )
      )
        return
    }
    queue.isLoading = false
    if (countOf(queue) > 0) onFilled()
    else if (!queue.isCut) this.#queues.delete(organization)
    this.#loadIfShort(organization, queue)
  }
}

const countOf = ({ items, head }: OrganizationQueue): number => items.length - head

/** Taken items are dropped once they are most of the array, because moving the rest is costly. */
function forgetFirst(queue: OrganizationQueue): void {
  queue.head++
  if (queue.head < 1_000 || queue.head * 2 < queue.items.length) return
  queue.items = queue.items.slice(queue.head)
  queue.head = 0
}
