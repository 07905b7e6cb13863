import type { Actor } from '../../core/domain/audit.ts'
import type { AuditStore, KeyStore, Log } from '../../core/ports.ts'
import { whyRefused } from '../keys.ts'

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

/** Senders told apart in one window; those beyond it are counted together, so that nobody fills the log with addresses. */
const maxSenders = 20

interface Window {
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
    const isKnown = windows.has(`${address} ${id}`) || windows.size < maxSenders
    const sender = isKnown ? address : 'many addresses'
    const name = `${sender} ${isKnown ? id : ''}`
    const known = windows.get(name)
    if (known !== undefined) {
      known.more++
      return
    }
    const [only, ...others] = key?.organizationUuids ?? []
    const entry: FailedEntry = {
      by: { kind: 'stranger', id: sender, name: sender, requestId: isKnown ? requestId : null },
      organizationUuid: isKnown && only !== undefined && others.length === 0 ? only : null,
      keyId: isKnown ? id : '',
      reason: isKnown ? reason : 'several',
    }
    windows.set(name, { entry, more: 0 })
    setTimeout(() => track(end(name)), windowMs).unref()
    await write(entry, 1)
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
