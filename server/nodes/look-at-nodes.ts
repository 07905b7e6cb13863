import type { Clock } from '../../core/ports/clock.ts'
import type { Log } from '../../core/ports/log.ts'
import type { NodeReport, NodeStore, StoredNode } from '../../core/ports/nodes/node-store.ts'
import { firstShares, NodeShares, shareOf } from '../../core/skill/http/node-share.ts'
import { settingsBeside } from '../config/shared-settings.ts'
import type { NodeWatch } from './node-watch.ts'

export interface LookAtNodesOptions {
  readonly nodes: Pick<NodeStore, 'id' | 'list' | 'remove'>
  readonly watch: NodeWatch
  /** A clock that is never set, in milliseconds. */
  readonly elapsed: () => number
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  /** Called when a node has left or was lost: its runs and jobs are free. */
  readonly onGone: () => void
}

/** What a node does after each of its renewals: it divides rate limits among the nodes that it sees, and removes lost ones. */
export class NodeLooks {
  readonly shares: NodeShares
  /** What the other nodes last told of themselves. */
  others: readonly NodeReport[] = []
  readonly #options: LookAtNodesOptions
  /** Ids of the first look: all others have joined later. */
  readonly #earlier: ReadonlySet<string>
  #present: ReadonlySet<string>
  /** What was last said of nodes that differ, by id. */
  readonly #differing = new Map<string, string>()

  /** @param first the nodes after this one has joined */
  constructor(first: readonly StoredNode[], options: LookAtNodesOptions) {
    const { nodes, watch, elapsed, clock } = options
    this.#options = options
    const present = presentOf(first)
    this.#earlier = new Set(present.map(({ id }) => id))
    this.#present = this.#earlier
    this.shares = new NodeShares(
      elapsed,
      firstShares(shareOf(nodes.id, present, this.#earlier), goneMs(first, clock.now())),
    )
    watch.look(first)
  }

  /** Gives the ids of the nodes that it counts from now on. */
  async look(): Promise<readonly string[]> {
    const { nodes, watch, log, onGone } = this.#options
    const all = await nodes.list()
    watch.look(all)
    const present = presentOf(all)
    this.others = present.flatMap(({ id, report }) => (id === nodes.id || report === null ? [] : [report]))
    this.shares.set(shareOf(nodes.id, present, this.#earlier))
    this.#tellDiffering(present)
    const ids = new Set(present.map(({ id }) => id))
    const isGone = [...this.#present].some((id) => !ids.has(id))
    this.#present = ids
    const lost = watch.lost(present).filter(({ id }) => id !== nodes.id)
    if (lost.length > 0) {
      for (const { name } of lost)
        log.warn({ reason: name }, 'a node no longer renews its lease: it is removed')
      await nodes.remove(lost, 'lost')
    }
    if (isGone || lost.length > 0) onGone()
    return [...ids]
  }

  /** Logs in which settings each other node differs: once, and again when that changes. */
  #tellDiffering(present: readonly StoredNode[]): void {
    const { nodes, log } = this.#options
    const differing = settingsBeside(present, nodes.id)
    for (const other of present) {
      const reason = differing(other).join(', ')
      if (reason === (this.#differing.get(other.id) ?? '')) continue
      this.#differing.set(other.id, reason)
      if (reason !== '')
        log.warn(
          { host: other.name, reason },
          'a node has other settings than this one: set the same variables on all nodes',
        )
    }
  }
}

const presentOf = (all: readonly StoredNode[]): readonly StoredNode[] =>
  all.filter(({ gone }) => gone === null)

/** Time since the last node left or was lost, by the clocks of the nodes. */
function goneMs(all: readonly StoredNode[], now: number): number {
  const last = Math.max(-Infinity, ...all.map(({ gone }) => gone?.at ?? -Infinity))
  return Math.max(0, now - last)
}
