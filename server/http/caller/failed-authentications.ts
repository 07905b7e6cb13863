import type { Account } from '../../../core/access/account.ts'
import type { Actor, AuditSubject } from '../../../core/domain/audit.ts'
import type { AuditStore } from '../../../core/ports/audit-store.ts'
import type { KeyStore } from '../../../core/ports/access/key-store.ts'
import type { Log } from '../../../core/ports/log.ts'
import { whyRefused } from '../../access/keys.ts'

export type FailedAuthentication = (FailedKey | FailedPerson) & {
  /** Of the client. */
  readonly address: string
  readonly requestId: string
}

interface FailedKey {
  /** The rejected value; never stored. */
  readonly value: string
}

interface FailedPerson {
  /** Undefined: nobody has this e-mail address, which is not stored: people type passwords into wrong fields. */
  readonly account: Account | undefined
  readonly reason: string
}

export interface FailedAuthentications {
  /** Not awaited; never throws. */
  record(failed: FailedAuthentication, now: number): void
  /** Writes failures that are counted but not yet recorded. */
  flush(): Promise<void>
}

/** Failures of one sender and key or person within this time are recorded as one entry with a count. */
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
  readonly subject: AuditSubject
  /** Of one address and one key or person; false: of several. */
  readonly isApart: boolean
}

interface Window extends Place {
  readonly entry: FailedEntry
  more: number
}

interface FailedEntry {
  readonly by: Actor
  readonly organizationUuid: string | null
  readonly subject: AuditSubject
  readonly reason: string
}

interface Refused {
  readonly kind: keyof typeof room
  readonly subject: AuditSubject
  readonly organizationUuid: string | null
  readonly reason: string
}

/**
 * Records refused API keys and passwords in the audit log: address, key or person, and reason. The first failure is recorded at once,
 * repetitions as a count at the end of the window, so that a flood does not fill the log.
 */
export function createFailedAuthentications(
  { audit, keys }: { readonly audit: Pick<AuditStore, 'record'>; readonly keys: Pick<KeyStore, 'find'> },
  log: Log,
): FailedAuthentications {
  const windows = new Map<string, Window>()
  const underWay = new Set<Promise<void>>()

  async function count(failed: FailedAuthentication, now: number): Promise<void> {
    const { address, requestId } = failed
    const refused = await examine(keys, failed, now)
    const { reason } = refused
    const place = placeOf(windows, refused, address)
    const known = windows.get(place.name)
    if (known !== undefined) {
      known.more++
      return
    }
    const { isApart, sender, subject } = place
    const entry: FailedEntry = {
      by: { kind: 'stranger', id: sender, name: sender, requestId: isApart ? requestId : null },
      organizationUuid: subject.id === '' ? null : refused.organizationUuid,
      subject,
      reason: isApart ? reason : 'several',
    }
    windows.set(place.name, { ...place, entry, more: 0 })
    setTimeout(() => track(end(place.name)), windowMs).unref()
    await write(entry, 1)
  }

  async function end(name: string): Promise<void> {
    const window = windows.get(name)
    windows.delete(name)
    if (window === undefined || window.more === 0) return
    await write({ ...window.entry, by: { ...window.entry.by, requestId: null } }, window.more)
  }

  function write({ by, organizationUuid, subject, reason }: FailedEntry, times: number): Promise<void> {
    return audit.record({
      action: 'authentication.failed',
      by,
      organizationUuid,
      subject,
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

async function examine(
  keys: Pick<KeyStore, 'find'>,
  failed: FailedAuthentication,
  now: number,
): Promise<Refused> {
  if ('account' in failed) {
    const { account, reason } = failed
    const { uuid = '', name = '', roles = [] } = account ?? {}
    const subject = { kind: 'account', id: uuid, name } as const
    const organizationUuid = onlyOne(roles.map((role) => role.organizationUuid))
    return { kind: account === undefined ? 'stranger' : 'known', subject, organizationUuid, reason }
  }
  const { key, id, reason } = await whyRefused(keys, failed.value, now)
  const subject = { kind: 'api_key', id, name: id } as const
  const organizationUuid = onlyOne(key?.organizationUuids ?? [])
  return { kind: key === undefined ? 'stranger' : 'known', subject, organizationUuid, reason }
}

/**
 * The counter of a failure. When a limit is reached, an existing key or person is still recorded for all
 * addresses; a made-up one only by its address, and finally without an address.
 */
function placeOf(windows: ReadonlyMap<string, Window>, { kind, subject }: Refused, address: string): Place {
  const { all, ofAddress } = room[kind]
  const nobody = { kind: subject.kind, id: '', name: '' }
  const of = (sender: string, about: AuditSubject, isApart: boolean) => {
    return {
      kind,
      sender,
      subject: about,
      isApart,
      name: JSON.stringify([kind, sender, about.kind, about.id]),
    }
  }
  const exact = of(address, subject, true)
  const apart = [...windows.values()].filter((window) => window.kind === kind && window.isApart)
  const isFull = apart.length >= all || apart.filter(({ sender }) => sender === address).length >= ofAddress
  if (windows.has(exact.name) || !isFull) return exact
  if (kind === 'known') return of('many addresses', subject, false)
  const fewer = of(address, nobody, false)
  const besides = [...windows.values()].filter((window) => window.kind === kind && !window.isApart)
  return windows.has(fewer.name) || besides.length < all ? fewer : of('many addresses', nobody, false)
}

function onlyOne(organizationUuids: readonly (string | null)[]): string | null {
  const [only = null, ...others] = new Set(organizationUuids)
  return others.length === 0 ? only : null
}
