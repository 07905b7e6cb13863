import type { Clock } from '../../ports/clock.ts'
import type { IssuedToken } from './read-token.ts'
import { untilAborted } from './until-aborted.ts'

/** Fetches a connection's tokens. */
export interface TokenSource {
  /** Changes with the connection's settings, so an edited connection gets a new token. */
  readonly key: string
  fetch(signal: AbortSignal): Promise<IssuedToken>
}

/**
 * The tokens of all connections of a process. Concurrent users share one fetch; it is aborted only when all have
 * stopped waiting. Rejects like `source.fetch`, or with the signal's reason.
 */
export interface TokenCache {
  /** A token that does not expire soon. */
  get(source: TokenSource, signal: AbortSignal): Promise<string>
  /** A token other than `refused`, which the other system rejected; undefined if another would not help. */
  replace(source: TokenSource, refused: string, signal: AbortSignal): Promise<string | undefined>
  /** Makes the next `get` fetch a token. */
  forget(key: string): void
}

/** Tokens are renewed this long before they expire, or a tenth of their lifetime if that is less. */
const maxMarginMs = 5 * 60_000
/** Shortest interval between two replacements of a refused token. */
const minBetweenReplacementsMs = 10_000
/** Beyond this number, the least recently used token is dropped. */
const maxTokens = 1_000

interface Entry {
  token: { readonly text: string; readonly renewAt: number } | undefined
  fetching: SharedWork<string> | undefined
  replacedAt: number
}

export function createTokenCache(clock: Pick<Clock, 'now'>): TokenCache {
  const entries = new Map<string, Entry>()

  /** The entry, marked as most recently used. */
  const entryOf = (key: string): Entry => {
    const entry = entries.get(key) ?? { token: undefined, fetching: undefined, replacedAt: -Infinity }
    entries.delete(key)
    entries.set(key, entry)
    const [oldest] = entries.keys()
    if (entries.size > maxTokens && oldest !== undefined) entries.delete(oldest)
    return entry
  }

  const fetchInto = async (entry: Entry, source: TokenSource, signal: AbortSignal): Promise<string> => {
    const askedAt = clock.now()
    const { text, lifetimeMs } = await source.fetch(signal)
    const renewAt = askedAt + lifetimeMs - Math.min(maxMarginMs, lifetimeMs / 10)
    entry.token = { text, renewAt }
    return text
  }

  const get = async (source: TokenSource, signal: AbortSignal): Promise<string> => {
    signal.throwIfAborted()
    const entry = entryOf(source.key)
    if (entry.token !== undefined && clock.now() < entry.token.renewAt) return entry.token.text
    if (entry.fetching === undefined || entry.fetching.isOver) {
      entry.fetching = new SharedWork((shared) => fetchInto(entry, source, shared))
    }
    return await entry.fetching.join(signal)
  }

  return {
    get,
    async replace(source, refused, signal) {
      const entry = entryOf(source.key)
      if (entry.token?.text === refused) {
        const now = clock.now()
        if (now - entry.replacedAt < minBetweenReplacementsMs) return undefined
        entry.replacedAt = now
        entry.token = undefined
      }
      const other = await get(source, signal)
      return other === refused ? undefined : other
    },
    forget: (key) => void entries.delete(key),
  }
}

/** Work with several waiting callers; aborted when the last one leaves. */
class SharedWork<T> {
  readonly #end = new AbortController()
  readonly #result: Promise<T>
  #waiting = 0

  /** Starts the work. */
  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.#result = work(this.#end.signal)
    this.#result.catch(() => {})
  }

  /** Aborted, so it cannot be joined. */
  get isOver(): boolean {
    return this.#end.signal.aborted
  }

  /** Settles like the work; rejects with the signal's reason if that is aborted first. */
  async join(signal: AbortSignal): Promise<T> {
    this.#waiting++
    try {
      return await untilAborted(this.#result, signal)
    } finally {
      if (--this.#waiting === 0) this.#end.abort()
    }
  }
}
