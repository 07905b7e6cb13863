import { isDeepStrictEqual as isEqual } from 'node:util'
import type { RateLimit } from '../../plugin/index.ts'

/** The part of each rate limit that this node may use, by its newest look at the nodes. */
export interface NodeShare {
  /** Number of nodes that share the limits, this one included. */
  readonly nodes: number
  /** Place of this node among them, from 0; null: they do not all see the same nodes yet. */
  readonly place: number | null
  /** Whether all other nodes count this one; until then, it may send nothing. */
  readonly isCounted: boolean
}

/** The share of a process that is the only one. */
const wholeShare: NodeShare = { nodes: 1, place: 0, isCounted: true }

/** What a node tells the others about the nodes that it counts. */
export interface NodeView {
  /** Uuid. */
  readonly id: string
  /** Ids of the nodes that it counts. */
  readonly peers: readonly string[]
}

/**
 * The share of a node after a look at the nodes. A node counts another one from its next renewal on, and says so in its `peers`, so two
 * nodes that send always count each other: the one that joined later waits until the earlier one counts it.
 *
 * @param all the nodes of one read, with what each has told
 * @param earlier ids of the first look: all others have joined later
 */
export function shareOf(id: string, all: readonly NodeView[], earlier: ReadonlySet<string>): NodeShare {
  const others = all.filter((node) => node.id !== id)
  if (others.length === 0) return wholeShare
  const ids = [id, ...others.map((node) => node.id)].toSorted()
  const seesAll = ({ peers }: NodeView) =>
    peers.length === ids.length && ids.every((one) => peers.includes(one))
  return {
    nodes: ids.length,
    place: all.length === ids.length && all.every(seesAll) ? ids.indexOf(id) : null,
    isCounted: others.every((node) => !earlier.has(node.id) || node.peers.includes(id)),
  }
}

/** The requests of a limit that a node may send in its time span. */
export interface LimitPart {
  /** At least 1. */
  readonly requests: number
  /** Epoch milliseconds: none before this time; Infinity: it depends on other nodes. */
  readonly fromMs: number
}

export interface HeldShare {
  readonly share: NodeShare
  /** Elapsed milliseconds since this share was learned; the newest share comes last. */
  readonly ageMs: number
}

/**
 * The shares of a process after its first look at the nodes.
 *
 * @param goneMs time since the last node left or was lost, in milliseconds. Default: there was none
 */
export const firstShares = (first: NodeShare, goneMs = Infinity): readonly HeldShare[] => [
  { share: { ...first, isCounted: false }, ageMs: Infinity },
  { share: first, ageMs: first.nodes === 1 ? goneMs : 0 },
]

/** A part that grows is used after the longest of the limit's time span and this, since the requests of others were counted in it. */
const longestDelayMs = 60_000
/** Most shares remembered: more changes within a minute only delay growth less exactly. */
const maxRemembered = 100

/**
 * The shares of a node over time. A smaller part is used at once, a larger one when the time span of the limit has passed since, up to
 * a minute: until then, the requests that other nodes sent before may still count.
 */
export class NodeShares {
  readonly #elapsed: () => number
  /** Oldest first. */
  #held: { readonly share: NodeShare; readonly at: number }[]
  readonly #watchers = new Set<(share: NodeShare) => void>()

  /**
   * @param elapsed a clock that is never set, in milliseconds
   * @param held see `held()` and `firstShares`. Default: of the only process
   */
  constructor(elapsed: () => number, held: readonly HeldShare[] = firstShares(wholeShare)) {
    this.#elapsed = elapsed
    this.#held = held.map(({ share, ageMs }) => ({ share, at: elapsed() - ageMs }))
  }

  set(share: NodeShare): void {
    if (isEqual(share, this.#held.at(-1)?.share)) return
    const now = this.#elapsed()
    this.#held.push({ share, at: now })
    const isOver = (index: number) => (this.#held[index + 1]?.at ?? Infinity) <= now - longestDelayMs
    this.#held = this.#held.filter((_, index) => !isOver(index)).slice(-maxRemembered)
    for (const watcher of this.#watchers) watcher(share)
  }

  /** Calls back with each new share. Returns the function that ends it. */
  watch(watcher: (share: NodeShare) => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  held(): readonly HeldShare[] {
    const now = this.#elapsed()
    return this.#held.map(({ share, at }) => ({ share, ageMs: now - at }))
  }

  /** @param nowMs epoch milliseconds */
  part(limit: RateLimit, nowMs: number): LimitPart {
    const delayMs = Math.min(limit.perMs, longestDelayMs)
    const elapsed = this.#elapsed()
    let part: LimitPart = { requests: Infinity, fromMs: -Infinity }
    this.#held.forEach(({ share }, index) => {
      const leftMs = (this.#held[index + 1]?.at ?? Infinity) + delayMs - elapsed
      if (leftMs <= 0) return
      const { requests, fromMs } = partOf(limit, share, nowMs)
      part = {
        requests: Math.min(part.requests, requests),
        fromMs: Math.max(part.fromMs, Math.min(fromMs, nowMs + leftMs)),
      }
    })
    return part.fromMs === Infinity ? { ...part, fromMs: nowMs + lookAgainMs } : part
  }
}

/** When to look again for a part that depends on other nodes. */
const lookAgainMs = 1_000
/** Differences between the clocks of the nodes that do not matter. */
const clockSkewMs = 1_000
/** Shortest time that a node keeps its turn, if there are fewer requests than nodes. */
const shortestTurnMs = 10_000

/** The part of a limit, if this share had always been the same. The parts of all nodes add up to at most the limit. */
export function partOf({ requests, perMs }: RateLimit, share: NodeShare, nowMs: number): LimitPart {
  const { nodes, place, isCounted } = share
  if (!isCounted) return { requests: 1, fromMs: Infinity }
  const each = Math.floor(requests / nodes)
  const rest = requests % nodes
  if (each > 0) return { requests: each + (place !== null && place < rest ? 1 : 0), fromMs: -Infinity }
  if (place === null) return { requests: 1, fromMs: Infinity }
  // Fewer requests than nodes: as many nodes as there are requests have a turn, one request each.
  const turnMs = Math.max(4 * perMs, shortestTurnMs)
  const turn = Math.floor(nowMs / turnMs)
  const turnsUntilOwn = (from: number): number => {
    for (let turns = 0; ; turns++) if (hasTurn(place, from + turns, requests, nodes)) return turns
  }
  const beginsAt = (own: number) => own * turnMs + perMs + clockSkewMs
  const own = turn + turnsUntilOwn(turn)
  const later = own === turn && nowMs >= (turn + 1) * turnMs - clockSkewMs
  return { requests: 1, fromMs: beginsAt(later ? turn + 1 + turnsUntilOwn(turn + 1) : own) }
}

const hasTurn = (place: number, turn: number, requests: number, nodes: number): boolean =>
  (((place - turn * requests) % nodes) + nodes) % nodes < requests
