import type { RateLimit } from '../../plugin/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LimitPart, NodeShares } from './node-share.ts'

/** A request that waits for its turn. */
export interface Turn {
  /** At most 10,000 requests each. */
  readonly limits: readonly RateLimit[]
  /** Latest useful turn, in epoch milliseconds. */
  readonly latestMs: number
  readonly signal: AbortSignal
  /**
   * Creates the error if no turn comes in time; gets the time until a retry may succeed, and whether the bucket is
   * closed.
   */
  readonly refuse: (waitMs: number, isClosed: boolean) => Error
}

interface Waiter {
  readonly turn: Turn
  readonly admit: () => void
  readonly refuse: (error: Error) => void
}

/**
 * Sends requests in order, and never more in any time window than this node's part of the limits allows. Exact, because it remembers
 * the time of each request, so no burst passes at the edge of a window. Uses one timer while requests wait.
 */
export class RateBucket {
  readonly #clock: Clock
  readonly #shares: Pick<NodeShares, 'part'> | undefined
  /** Times of the sent requests, oldest first, then the planned times of the waiting ones. */
  #times: number[] = []
  readonly #waiting: Waiter[] = []
  #closedUntil = -Infinity
  /** The latest retry time given to a refused request. */
  #promisedUntil = -Infinity
  #kept = 1
  #longestMs = 0
  #somebodyLeft = new AbortController()
  #isGivingTurns = false

  /** @param shares default: no other node sends requests */
  constructor(clock: Clock, shares?: Pick<NodeShares, 'part'>) {
    this.#clock = clock
    this.#shares = shares
  }

  /** Resolves at the caller's turn. Rejects with the signal's reason or with `turn.refuse`. */
  async take(turn: Turn): Promise<void> {
    turn.signal.throwIfAborted()
    const now = this.#clock.now()
    this.#followClock(now)
    for (const { requests, perMs } of turn.limits) {
      this.#kept = Math.max(this.#kept, requests)
      this.#longestMs = Math.max(this.#longestMs, perMs)
    }
    const at = this.#timeOf(this.#times.length, turn, now)
    if (isTooLate(at, turn, now)) throw this.#refusal(at, turn, now)
    this.#times.push(at)
    if (this.#waiting.length === 0 && at <= now) this.#forgetOldest()
    else await this.#wait(turn)
  }

  /** No turn is given before this time (epoch milliseconds). */
  close(untilMs: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, untilMs)
    this.#planAgain()
  }

  /** Whether a new bucket would behave the same. */
  isIdle(): boolean {
    const now = this.#clock.now()
    const last = this.#times.at(-1) ?? -Infinity
    return Math.max(last + this.#longestMs, this.#closedUntil, this.#promisedUntil) <= now
  }

  /** See `close`. */
  get closedUntil(): number {
    return this.#closedUntil
  }

  get isWaitedFor(): boolean {
    return this.#waiting.length > 0
  }

  #wait(turn: Turn): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      this.#remove(this.#waiting.indexOf(waiter))
      this.#planAgain()
      reject(turn.signal.reason as Error)
    }
    const unlisten = () => turn.signal.removeEventListener('abort', leave)
    const waiter: Waiter = {
      turn,
      admit() {
        unlisten()
        resolve()
      },
      refuse(error) {
        unlisten()
        reject(error)
      },
    }
    turn.signal.addEventListener('abort', leave, { once: true })
    this.#waiting.push(waiter)
    void this.#giveTurns()
    return promise
  }

  async #giveTurns(): Promise<void> {
    if (this.#isGivingTurns) return
    this.#isGivingTurns = true
    for (;;) {
      const now = this.#clock.now()
      this.#followClock(now)
      this.#planAgain()
      const at = this.#times[this.#firstWaiting]
      if (at === undefined) break
      if (at > now) {
        await this.#clock.sleep(at - now, this.#somebodyLeft.signal).catch(() => {})
      } else {
        this.#waiting.shift()?.admit()
        this.#forgetOldest()
      }
    }
    this.#isGivingTurns = false
  }

  /** Index in `#times` of the first waiting request. */
  get #firstWaiting(): number {
    return this.#times.length - this.#waiting.length
  }

  /** The earliest time for the request at `index`. */
  #timeOf(index: number, { limits }: Turn, now: number): number {
    const before = this.#times[index - 1] ?? -Infinity
    const free = limits.map((limit) => {
      const { requests, fromMs } = this.#partOf(limit, now)
      return Math.max(fromMs, (this.#times[index - requests] ?? -Infinity) + limit.perMs)
    })
    return Math.max(now, this.#closedUntil, before, ...free)
  }

  #partOf(limit: RateLimit, now: number): LimitPart {
    return this.#shares?.part(limit, now) ?? { requests: limit.requests, fromMs: -Infinity }
  }

  /** Recomputes the planned times, and refuses requests whose turn would come too late. */
  #planAgain(): void {
    const now = this.#clock.now()
    for (let place = 0; place < this.#waiting.length;) {
      const { turn, refuse } = this.#waiting[place] as Waiter
      const index = this.#firstWaiting + place
      const at = this.#timeOf(index, turn, now)
      if (isTooLate(at, turn, now)) {
        this.#remove(place)
        refuse(this.#refusal(at, turn, now))
      } else {
        this.#times[index] = at
        place++
      }
    }
  }

  #remove(place: number): void {
    this.#times.splice(this.#firstWaiting + place, 1)
    this.#waiting.splice(place, 1)
    this.#somebodyLeft.abort()
    this.#somebodyLeft = new AbortController()
  }

  #refusal(at: number, turn: Turn, now: number): Error {
    return turn.refuse(this.#promise(at, turn) - now, this.#closedUntil > now)
  }

  /** Spreads the retries of refused requests at the rate of the limits. */
  #promise(at: number, { limits }: Turn): number {
    const now = this.#clock.now()
    const apartMs = Math.max(0, ...limits.map((limit) => limit.perMs / this.#partOf(limit, now).requests))
    this.#promisedUntil = Math.max(at, this.#promisedUntil + apartMs)
    return this.#promisedUntil
  }

  #forgetOldest(): void {
    const tooMany = this.#firstWaiting - this.#kept
    if (tooMany > this.#kept) this.#times.splice(0, tooMany)
  }

  /** After the clock was set back, requests must not wait until it has caught up. */
  #followClock(now: number): void {
    const last = this.#times[this.#firstWaiting - 1] ?? -Infinity
    if (last <= now) return
    this.#times = this.#times.map((time) => time - (last - now))
    this.#closedUntil -= last - now
    this.#promisedUntil -= last - now
  }
}

/** A turn that is due now is never too late: the deadline itself ends the request. */
const isTooLate = (at: number, { latestMs }: Turn, now: number): boolean => at > now && at > latestMs
