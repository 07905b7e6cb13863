import { beginning } from '../../core/audit/audit-chain.ts'
import type { AuditHead, ExportCursor } from '../../core/domain/audit.ts'
import type { AuditStore } from '../../core/ports/audit-store.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Log } from '../../core/ports/log.ts'
import { RetryLater, type Destination, type ExportedEntry } from './destination.ts'

/** How the export to one destination goes. */
export interface ExportState {
  readonly destination: string
  /** Entries that it took since the start of the process. */
  readonly exported: number
  /** Tries that failed since the start of the process. */
  readonly failures: number
  /** Entries that it has not taken yet. */
  readonly lag: number
}

export interface Exporter {
  state(): ExportState
  /** There are new entries, up to this one. */
  wake(head: AuditHead): void
  /** Sends what is there, for a few seconds at most, unless the destination is down. */
  close(): Promise<void>
}

export interface ExporterOptions {
  readonly audit: Pick<AuditStore, 'after' | 'head' | 'moveExport'>
  readonly destination: Destination
  /** Where it goes on. */
  readonly cursor: ExportCursor
  readonly clock: Clock
  readonly log: Log
}

/** At once, so that memory is bounded whatever there is to send. */
const batch = { entries: 500, bytes: 1_048_576 } as const
const sendTimeoutMs = 30_000
/** Commands on the same machine write entries that nobody tells of. */
const lookMs = 5_000
const retryMs = { first: 1_000, most: 60_000 } as const
/** Between two lines about the same failure, in milliseconds. */
const sayAgainMs = 600_000
const closingMs = 5_000

/**
 * Sends the entries that follow the cursor, in their order, a batch at a time, and moves the cursor, on disk, once a batch is taken: a crash, a
 * restart or a receiver that is down loses nothing, and at worst a batch is sent twice. Nothing waits for it.
 */
export function createExporter({ audit, destination, cursor: start, clock, log }: ExporterOptions): Exporter {
  const name = start.destination
  const closing = new AbortController()
  const cut = new AbortController()
  let cursor: AuditHead = start
  let head = start.sequence
  let [exported, failures, failuresInARow] = [0, 0, 0]
  let saidAt = 0
  let mostEntries: number = batch.entries
  let nudge = new AbortController()

  async function next(): Promise<readonly ExportedEntry[]> {
    const stored = await audit.after(cursor.sequence, mostEntries)
    let [bytes, previousHash] = [0, cursor.hash]
    const entries: ExportedEntry[] = []
    for (const entry of stored) {
      bytes += entry.entry.length
      if (entries.length > 0 && bytes > batch.bytes) break
      entries.push({ ...entry, previousHash })
      previousHash = entry.hash
    }
    return entries
  }

  /** Whether there was something to send. */
  async function sendNext(): Promise<boolean> {
    const entries = await next()
    const last = entries.at(-1)
    if (last === undefined) return false
    head = Math.max(head, last.sequence)
    await destination.send(entries, AbortSignal.any([cut.signal, AbortSignal.timeout(sendTimeoutMs)]))
    await audit.moveExport(name, last)
    cursor = last
    exported += entries.length
    mostEntries = Math.min(batch.entries, mostEntries * 2)
    if (failuresInARow > 0)
      log.info({ destination: name, count: failuresInARow }, 'the audit log is exported again')
    failuresInARow = 0
    return true
  }

  function failed(error: unknown): number {
    failures++
    failuresInARow++
    if (error instanceof RetryLater && error.isTooLarge) mostEntries = Math.max(1, mostEntries >> 1)
    const now = clock.now()
    if (failuresInARow === 1 || now - saidAt >= sayAgainMs) {
      saidAt = now
      const lag = head - cursor.sequence
      log.warn(
        { destination: name, count: lag, error },
        'the audit log cannot be exported; it is tried again',
      )
    }
    const waitMs = Math.min(retryMs.most, retryMs.first * 2 ** (failuresInARow - 1))
    return error instanceof RetryLater ? Math.max(waitMs, Math.min(error.afterMs, 600_000)) : waitMs
  }

  const pause = (ms: number, ...signals: readonly AbortSignal[]) =>
    clock.sleep(ms, AbortSignal.any([closing.signal, ...signals])).catch(() => undefined)

  async function requireSameLog(): Promise<void> {
    if (cursor.sequence === 0) return
    const [entry] = await audit.after(cursor.sequence - 1, 1)
    if (entry?.sequence === cursor.sequence && entry.hash === cursor.hash) return
    log.error(
      { destination: name, sequence: cursor.sequence },
      'the audit log is not the one that was exported: it is exported anew, from its first entry; run: tocsin audit verify',
    )
    cursor = { sequence: 0, hash: beginning }
  }

  async function work(): Promise<void> {
    let isChecked = false
    while (!closing.signal.aborted) {
      try {
        if (!isChecked) await requireSameLog()
        isChecked = true
        nudge = new AbortController()
        if (!(await sendNext())) await pause(lookMs, nudge.signal)
      } catch (error) {
        if (!closing.signal.aborted) await pause(failed(error))
      }
    }
  }
  const working = work()

  return {
    state: () => ({ destination: name, exported, failures, lag: Math.max(0, head - cursor.sequence) }),
    wake({ sequence }) {
      head = Math.max(head, sequence)
      nudge.abort()
    },
    async close() {
      const timer = setTimeout(() => cut.abort(new Error('the server is closing')), closingMs)
      closing.abort()
      await working
      try {
        if (failuresInARow === 0) while (await sendNext());
      } catch (error) {
        log.warn({ destination: name, error }, 'the rest of the audit log is exported after the next start')
      } finally {
        clearTimeout(timer)
        await destination.close().catch(() => undefined)
      }
    },
  }
}
