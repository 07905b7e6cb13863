import { expect } from 'chai'
import type { RateLimit } from '../../core/plugin/index.ts'
import {
  firstShares,
  NodeShares,
  partOf,
  shareOf,
  type NodeShare,
  type NodeView,
} from '../../core/skill/http/node-share.ts'
import { RateBucket } from '../../core/skill/http/rate-bucket.ts'
import { ManualClock, settle } from '../engine/support/manual-clock.ts'
import { makeRandom, seed, times } from '../support/random.ts'

const agreed = (nodes: number): readonly NodeShare[] =>
  Array.from({ length: nodes }, (_, place) => ({ nodes, place, isCounted: true }))

const none: ReadonlySet<string> = new Set()

describe('the share of a node in a rate limit', () => {
  it('is everything for the only node, whatever it has told', () => {
    expect(shareOf('a', [], none)).to.deep.equal({ nodes: 1, place: 0, isCounted: true })
    expect(shareOf('a', [{ id: 'a', peers: [] }], none)).to.deep.equal({
      nodes: 1,
      place: 0,
      isCounted: true,
    })
  })

  it('is nothing until all others count the node, and has a place when all see the same nodes', () => {
    const rows = (a: readonly string[], b: readonly string[], c: readonly string[]): NodeView[] => [
      { id: 'a', peers: a },
      { id: 'b', peers: b },
      { id: 'c', peers: c },
    ]
    const [two, all] = [
      ['a', 'b'],
      ['a', 'b', 'c'],
    ]
    const [ofA, ofC] = [new Set(['a', 'b']), new Set(all)]
    expect(shareOf('c', rows(two, two, []), ofC)).to.deep.equal({ nodes: 3, place: null, isCounted: false })
    expect(shareOf('a', rows(two, two, []), ofA)).to.deep.equal({ nodes: 3, place: null, isCounted: true })
    expect(shareOf('c', rows(all, two, all), ofC).isCounted).to.equal(false)
    expect(shareOf('c', rows(all, all, []), ofC)).to.deep.equal({ nodes: 3, place: null, isCounted: true })
    expect(shareOf('c', rows(all, all, all), ofC)).to.deep.equal({ nodes: 3, place: 2, isCounted: true })
  })

  it('adds up to the limit over all nodes, and is at least one request for each if there are enough', () => {
    for (const nodes of [1, 2, 3, 5])
      for (const requests of [5, 7, 100]) {
        const parts = agreed(nodes).map((share) => partOf({ requests, perMs: 1_000 }, share, 0).requests)
        expect(parts.reduce((sum, part) => sum + part, 0)).to.equal(requests)
        expect(Math.min(...parts)).to.be.greaterThan(0)
      }
  })

  it('is a turn of each node if there are fewer requests than nodes, at most as many at a time as requests', () => {
    const limit = { requests: 2, perMs: 1_000 }
    const used = new Set<number>()
    for (let now = 0; now < 60_000; now += 250) {
      const sending = agreed(3).flatMap((share, place) =>
        partOf(limit, share, now).fromMs <= now ? [place] : [],
      )
      expect(sending.length).to.be.at.most(2)
      for (const place of sending) used.add(place)
    }
    expect([...used]).to.have.members([0, 1, 2])
  })

  it('shrinks at once, and grows when the requests of others no longer count', () => {
    let now = 0
    const shares = new NodeShares(() => now, firstShares(shareOf('a', [], none)))
    const limit = { requests: 6, perMs: 2_000 }
    const part = () => shares.part(limit, now)
    expect(part()).to.deep.equal({ requests: 6, fromMs: -Infinity })
    shares.set({ nodes: 3, place: 1, isCounted: true })
    expect(part()).to.deep.equal({ requests: 2, fromMs: -Infinity })
    now = 10_000
    shares.set({ nodes: 2, place: 1, isCounted: true })
    expect(part().requests).to.equal(2)
    now = 12_000
    expect(part().requests).to.equal(3)
  })

  it('is the same in a thread that begins later', () => {
    let now = 5_000
    const shares = new NodeShares(() => now, firstShares({ nodes: 2, place: null, isCounted: false }))
    shares.set({ nodes: 2, place: 0, isCounted: true })
    now += 500
    const copy = new NodeShares(() => now, shares.held())
    const limit = { requests: 6, perMs: 2_000 }
    expect(copy.part(limit, now)).to.deep.equal(shares.part(limit, now))
    expect(copy.part(limit, now).fromMs).to.equal(now + 1_500)
  })
})

const leaseMs = 5_000
const patienceMs = 6_000

/** Nodes that send as much as they may, with the rows that they see of each other. */
class Cluster {
  readonly clock = new ManualClock()
  readonly sent: { readonly node: string; readonly at: number }[] = []
  readonly #limits: readonly RateLimit[]
  readonly #random: () => number
  readonly #rows = new Map<string, { peers: readonly string[]; renewedAt: number }>()
  readonly #live = new Map<string, { readonly stop: AbortController; readonly frozen: AbortController }>()
  #last = 0
  #goneAt = -Infinity

  constructor(limits: readonly RateLimit[], random: () => number) {
    this.#limits = limits
    this.#random = random
  }

  get live(): readonly string[] {
    return [...this.#live.keys()]
  }

  join(): void {
    // Ids are not in the order of their joins.
    const id = `${Math.floor(this.#random() * 1_000)}-${this.#last++}`
    const [stop, frozen] = [new AbortController(), new AbortController()]
    this.#live.set(id, { stop, frozen })
    this.#rows.set(id, { peers: [], renewedAt: this.clock.monotonic() })
    void this.#work(id, stop.signal, frozen.signal).catch(() => {})
  }

  /** Stops between two requests, and tells so. */
  leave(id: string): void {
    this.#live.get(id)?.stop.abort()
    this.#live.delete(id)
    this.#remove(id)
  }

  /** Renews no more, and sends until its lease is over. */
  freeze(id: string): void {
    this.#live.get(id)?.frozen.abort()
    this.#live.delete(id)
  }

  stop(): void {
    for (const id of this.live) this.leave(id)
  }

  async #work(id: string, stop: AbortSignal, frozen: AbortSignal): Promise<void> {
    const { clock } = this
    const nap = (ms: number) => clock.sleep(ms, stop)
    const either = AbortSignal.any([stop, frozen])
    await nap(this.#random() * 500)
    const first = this.#views()
    const goneMs = clock.monotonic() - this.#goneAt
    const earlier = new Set(first.map((node) => node.id))
    const shares = new NodeShares(() => clock.monotonic(), firstShares(shareOf(id, first, earlier), goneMs))
    const bucket = new RateBucket(clock, shares)
    for (const _ of [1, 2, 3]) void this.#send(id, bucket, stop).catch(() => {})
    for (;;) {
      const seen = this.#views()
      await clock.sleep(this.#random() * 200, either)
      shares.set(shareOf(id, seen, earlier))
      const row = this.#rows.get(id)
      if (row === undefined) return
      row.peers = seen.map((node) => node.id)
      row.renewedAt = clock.monotonic()
      await clock.sleep(this.#random() < 0.1 ? 3_000 : 800 + this.#random() * 400, either)
      for (const [other, { renewedAt }] of this.#rows)
        if (clock.monotonic() - renewedAt > patienceMs) this.#remove(other)
    }
  }

  async #send(id: string, bucket: RateBucket, stop: AbortSignal): Promise<void> {
    const { clock } = this
    const turn = { limits: this.#limits, latestMs: Infinity, signal: stop, refuse: () => new Error('never') }
    for (;;) {
      await bucket.take(turn)
      const row = this.#rows.get(id)
      // The egress sends nothing without the lease.
      if (row === undefined || clock.monotonic() - row.renewedAt > leaseMs) return
      this.sent.push({ node: id, at: clock.now() })
    }
  }

  #remove(id: string): void {
    this.#rows.delete(id)
    this.#goneAt = this.clock.monotonic()
  }

  #views(): readonly NodeView[] {
    return [...this.#rows].map(([id, { peers }]) => ({ id, peers }))
  }
}

/** The most requests in any time span of the limit. */
function most(sent: readonly { readonly at: number }[], { perMs }: RateLimit): number {
  let [first, found] = [0, 0]
  sent.forEach(({ at }, index) => {
    while (sent[first]!.at <= at - perMs) first++
    found = Math.max(found, index - first + 1)
  })
  return found
}

const cases: readonly (readonly RateLimit[])[] = [
  [{ requests: 12, perMs: 1_000 }],
  [
    { requests: 7, perMs: 2_000 },
    { requests: 40, perMs: 30_000 },
  ],
  [{ requests: 2, perMs: 1_000 }],
]

describe('the rate limit of a connection over several nodes', function () {
  this.timeout(120_000)

  for (const limits of cases) {
    const name = limits.map(({ requests, perMs }) => `${requests} in ${perMs / 1000} s`).join(', ')

    it(`holds while nodes join, leave and freeze: ${name}`, async () => {
      for (let round = 0; round < times(2); round++) {
        const random = makeRandom(seed + round)
        const cluster = new Cluster(limits, random)
        for (const _ of [1, 2, 3]) cluster.join()
        for (let change = 0; change < 25; change++) {
          await cluster.clock.advance(random() * Math.max(8_000, 2 * limits.at(-1)!.perMs))
          const [some] = cluster.live.toSorted(() => random() - 0.5)
          if (cluster.live.length < 2 || (cluster.live.length < 5 && random() < 0.5)) cluster.join()
          else if (random() < 0.5) cluster.leave(some!)
          else cluster.freeze(some!)
        }
        cluster.stop()
        expect(cluster.sent.length, `seed ${seed}`).to.be.greaterThan(20)
        for (const limit of limits)
          expect(most(cluster.sent, limit), `seed ${seed}, round ${round}`).to.be.at.most(limit.requests)
      }
    })

    it(`is used by every one of three nodes that stay: ${name}`, async () => {
      const cluster = new Cluster(limits, makeRandom(seed))
      for (const _ of [1, 2, 3]) cluster.join()
      await cluster.clock.advance(60_000)
      cluster.sent.length = 0
      await cluster.clock.advance(180_000)
      cluster.stop()
      await settle()
      const longest = limits.at(-1)!
      const possible = (180_000 / longest.perMs) * longest.requests
      expect(new Set(cluster.sent.map(({ node }) => node)).size).to.equal(3)
      expect(cluster.sent.length).to.be.greaterThan(possible * 0.6)
    })
  }
})
