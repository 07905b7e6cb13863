import type { Actor } from '../../../core/domain/audit.ts'
import type { AuditStore } from '../../../core/ports/audit-store.ts'
import type { KeyStore } from '../../../core/ports/access/key-store.ts'
import type { Log } from '../../../core/ports/log.ts'
import { whyRefused } from '../../access/keys.ts'

export interface FailedAuthentication {
  /** The text that was to be an API key. Nothing keeps it. */
  readonly value: string
  /** Of the other end of the connection. */
  readonly address: string
  readonly requestId: string
}

export interface FailedAuthentications {
  /** Nobody waits for it, and its failure fails nothing. */
  record(failed: FailedAuthentication, now: number): void
  /** Writes what is counted and not yet recorded. */
  flush(): Promise<void>
}

/** Of the same sender and key, failures closer together than this are recorded as one with their number. */
const windowMs = 10 * 60_000

/**
 * What is told apart in one window. What strangers can make without end (keys that are malformed, or that there never were) has room of its own,
 * so that it never hides who guesses at a key that exists; and one address has so much of each, so that it never hides the others.
 */
const room = {
  stranger: { all: 20, ofAddress: 5 },
  known: { all: 200, ofAddress: 20 },
} as const

/** Failures that are counted together. */
interface Place {
  readonly name: string
  readonly kind: keyof typeof room
  readonly sender: string
  /** Empty: several, or none. */
  readonly keyId: string
  /** Of one address and one key; false: of several. */
  readonly isApart: boolean
}

interface Window extends Place {
  readonly entry: FailedEntry
  more: number
}

interface FailedEntry {
  readonly by: Actor
  readonly organizationUuid: string | null
  readonly keyId: string
  readonly reason: string
}

/**
 * API keys that were refused, in the audit log: from where, which key it was to be, and why. The first one is recorded at once, what
 * follows with its number when the window ends, so that a flood of them does not become one of the log, which only ever grows.
 */
export function createFailedAuthentications(
  { audit, keys }: { readonly audit: Pick<AuditStore, 'record'>; readonly keys: Pick<KeyStore, 'find'> },
  log: Log,
): FailedAuthentications {
  const windows = new Map<string, Window>()
  const underWay = new Set<Promise<void>>()

  async function count({ value, address, requestId }: FailedAuthentication, now: number): Promise<void> {
    const { key, id, reason } = await whyRefused(keys, value, now)
    const place = placeOf(key === undefined ? 'stranger' : 'known', address, id)
    const known = windows.get(place.name)
    if (known !== undefined) {
      known.more++
      return
    }
    const { isApart, sender, keyId } = place
    const [only, ...others] = key?.organizationUuids ?? []
    const entry: FailedEntry = {
      by: { kind: 'stranger', id: sender, name: sender, requestId: isApart ? requestId : null },
      organizationUuid: keyId !== '' && only !== undefined && others.length === 0 ? only : null,
      keyId,
      reason: isApart ? reason : 'several',
    }
    windows.set(place.name, { ...place, entry, more: 0 })
    setTimeout(() => track(end(place.name)), windowMs).unref()
    await write(entry, 1)
  }

  /**
   * What it is counted with. Where there is no more room, a key that exists is still told by its id, from whichever addresses; of what strangers
   * make up, only the address is, and in the end not even that.
   */
  function placeOf(kind: keyof typeof room, address: string, id: string): Place {
    const { all, ofAddress } = room[kind]
    const of = (sender: string, keyId: string, isApart: boolean) => {
      return { kind, sender, keyId, isApart, name: JSON.stringify([kind, sender, keyId]) }
    }
    const exact = of(address, id, true)
    const apart = [...windows.values()].filter((window) => window.kind === kind && window.isApart)
    const isFull = apart.length >= all || apart.filter(({ sender }) => sender === address).length >= ofAddress
    if (windows.has(exact.name) || !isFull) return exact
    if (kind === 'known') return of('many addresses', id, false)
    const fewer = of(address, '', false)
    const besides = [...windows.values()].filter((window) => window.kind === kind && !window.isApart)
    return windows.has(fewer.name) || besides.length < all ? fewer : of('many addresses', '', false)
  }

  async function end(name: string): Promise<void> {
    const window = windows.get(name)
    windows.delete(name)
    if (window === undefined || window.more === 0) return
    await write({ ...window.entry, by: { ...window.entry.by, requestId: null } }, window.more)
  }

  function write({ by, organizationUuid, keyId, reason }: FailedEntry, times: number): Promise<void> {
    return audit.record({
      action: 'authentication.failed',
      by,
      organizationUuid,
      subject: { kind: 'api_key', id: keyId, name: keyId },
      details: { reason, times },
    })
  }

  function track(work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => log.warn({ error }, 'a failed authentication was not recorded'))
      .finally(() => underWay.delete(done))
    underWay.add(done)
  }

  return {
    record: (failed, now) => track(count(failed, now)),
    async flush() {
      await Promise.all(underWay)
      for (const name of windows.keys()) track(end(name))
      await Promise.all(underWay)
    },
  }
}
