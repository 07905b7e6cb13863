import type { StoredNode } from '../../core/ports/nodes/node-store.ts'

/** How long others wait for a renewal, in milliseconds: longer than a lease, because clocks differ in speed. */
export const patienceMs = 6_000

/** Longest time between two looks that counts, in milliseconds: nodes look each second while they can. */
const longestGapMs = 3_000

interface SeenRenewal {
  readonly renewedAt: number
  /** When it was first seen. */
  readonly at: number
  /** Time since then in which this node could not look, in milliseconds. */
  readonly unseenMs: number
}

/**
 * When this node saw each other node renew its lease, by its own clock: clocks of machines differ. A node that it has not seen renewing
 * for `patienceMs` cannot send any more. Time in which this node could not look does not count: after an outage of the database all nodes
 * renew their leases again, and the first one must not remove the others.
 */
export class NodeWatch {
  readonly #elapsed: () => number
  #lookedAt: number | undefined
  #seen = new Map<string, SeenRenewal>()

  /** @param elapsed a clock that is never set, in milliseconds */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  /** Takes note of a read of the nodes. */
  look(nodes: readonly StoredNode[]): void {
    const at = this.#elapsed()
    const gapMs = Math.max(0, at - (this.#lookedAt ?? at) - longestGapMs)
    this.#lookedAt = at
    this.#seen = new Map(
      nodes.map(({ id, renewedAt }) => {
        const before = this.#seen.get(id)
        if (before?.renewedAt !== renewedAt) return [id, { renewedAt, at, unseenMs: 0 }]
        return [id, { ...before, unseenMs: before.unseenMs + gapMs }]
      }),
    )
  }

  /** Milliseconds since a node was seen renewing; undefined: it was not seen yet. */
  sinceRenewal(id: string): number | undefined {
    const seen = this.#seen.get(id)
    return seen && this.#elapsed() - seen.at
  }

  /** Those that take part and cannot send any more. */
  lost(nodes: readonly StoredNode[]): readonly StoredNode[] {
    const silentMs = (id: string) => (this.sinceRenewal(id) ?? 0) - (this.#seen.get(id)?.unseenMs ?? 0)
    return nodes.filter(({ id, gone }) => gone === null && silentMs(id) > patienceMs)
  }
}
