import type { Clock } from '../../ports/clock.ts'
import type { IssuedToken } from './read-token.ts'
import { SharedWork } from './shared-work.ts'

/** Where a connection's token comes from. */
export interface TokenSource {
  /** Of the connection as it is now: an edited one has another key, and so another token. */
  readonly key: string
  fetch(signal: AbortSignal): Promise<IssuedToken>
}

/**
 * The tokens of all connections of a process. Whoever needs one while it is being fetched waits for the same answer; who stops
 * waiting stops it for nobody else. Rejects as `source.fetch` does, or with the signal's reason.
 */
export interface TokenCache {
  /** A token that does not expire shortly. */
  get(source: TokenSource, signal: AbortSignal): Promise<string>
  /** Another one than `refused`, which the other system no longer takes; undefined where there is no use in trying another. */
  replace(source: TokenSource, refused: string, signal: AbortSignal): Promise<string | undefined>
  /** The next `get` fetches. */
  forget(key: string): void
}

/** Tokens are renewed so long before they expire, or a tenth of their life where that is less. */
const maxMarginMs = 5 * 60_000
/** A token that was replaced because it was refused is not replaced for the same reason again so soon: another would not help. */
const minBetweenReplacementsMs = 10_000
/** Beyond this, the one that was not asked for the longest is let go. */
const maxTokens = 1_000

interface Entry {
  token: { readonly text: string; readonly renewAt: number } | undefined
  fetching: SharedWork<string> | undefined
  replacedAt: number
}

export function createTokenCache(clock: Pick<Clock, 'now'>): TokenCache {
  const entries = new Map<string, Entry>()

  /** The entry, now the one asked for last. */
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
