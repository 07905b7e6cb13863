import type { Actor } from '../../../core/domain/audit.ts'
import type { AuditStore } from '../../../core/ports/audit-store.ts'
import type { KeyStore } from '../../../core/ports/access/key-store.ts'
import type { Log } from '../../../core/ports/log.ts'
import { whyRefused } from '../../access/keys.ts'

export interface FailedAuthentication {
  /** The rejected value; never stored. */
  readonly value: string
  /** Of the client. */
  readonly address: string
  readonly requestId: string
}

export interface FailedAuthentications {
  /** Not awaited; never throws. */
  record(failed: FailedAuthentication, now: number): void
  /** Writes failures that are counted but not yet recorded. */
  flush(): Promise<void>
}

/** Failures of one sender and key within this time are recorded as one entry with a count. */
const windowMs = 10 * 60_000

/**
 * Limits of entries per window. Made-up keys, which strangers can send without end, have their own limit, so
 * that they never hide guesses at an existing key. Each address has a share, so that it never hides others.
 */
const room = {
  stranger: { all: 20, ofAddress: 5 },
  known: { all: 200, ofAddress: 20 },
} as const

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
 * Records refused API keys in the audit log: address, key and reason. The first failure is recorded at once,
 * repetitions as a count at the end of the window, so that a flood does not fill the log.
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
   * The counter of a failure. When a limit is reached, an existing key is still recorded by its id for all
   * addresses; a made-up key only by its address, and finally without an address.
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
      .catch((error: unknown) => log.warn({ error }, 'could not record a failed authentication'))
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
