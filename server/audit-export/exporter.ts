import { beginning } from '../../core/audit/audit-chain.ts'
import type { AuditHead, ExportCursor } from '../../core/domain/audit.ts'
import type { AuditStore } from '../../core/ports/audit-store.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Log } from '../../core/ports/log.ts'
import { onlyProcess, type ExclusiveWork } from '../../core/ports/nodes/exclusive-work.ts'
import { RetryLater, type Destination, type ExportedEntry } from './destination.ts'

export interface ExportState {
  readonly destination: string
  /** Entries since the start of the process. */
  readonly exported: number
  /** Failed sends since the start of the process. */
  readonly failures: number
  /** Entries still to be exported; 0 while another node exports. */
  readonly lag: number
}

export interface Exporter {
  state(): ExportState
  /** Sends new entries up to this entry. */
  wake(head: AuditHead): void
  /** Sends the remaining entries for up to 5 seconds, unless the destination is down. */
  close(): Promise<void>
}

export interface ExporterOptions {
  readonly audit: Pick<AuditStore, 'after' | 'head' | 'moveExport' | 'exportCursors'>
  readonly destination: Destination
  readonly cursor: ExportCursor
  /** Default: this process is the only one. */
  readonly exclusive?: ExclusiveWork | undefined
  readonly clock: Clock
  readonly log: Log
}

/** Bounds memory, however many entries wait. */
const maxBatch = { entries: 500, bytes: 1_048_576 } as const
const sendTimeoutMs = 30_000
/** How often to look for entries that commands on the same machine wrote. */
const pollMs = 5_000
const retryMs = { first: 1_000, most: 60_000, mostAskedFor: 600_000 } as const
/** Time between two log lines about the same failure. */
const logAgainMs = 600_000
const closingMs = 5_000

/**
 * Sends the entries after the cursor in order, in batches, and stores the cursor after each batch: a crash, a restart or a receiver
 * that is down loses nothing, and at worst repeats a batch.
 */
export function createExporter(options: ExporterOptions): Exporter {
  return new BatchExporter(options)
}

class BatchExporter implements Exporter {
  readonly #options: ExporterOptions
  readonly #name: string
  readonly #closing = new AbortController()
  readonly #cut = new AbortController()
  readonly #failures = new Failures()
  readonly #working: Promise<void>
  #cursor: AuditHead
  #head: number
  /** Whether the cursor fits the log. While another node exports, this is not known. */
  #isChecked = false
  #exported = 0
  #mostEntries: number = maxBatch.entries
  #nudge = new AbortController()

  constructor(options: ExporterOptions) {
    this.#options = options
    this.#cursor = options.cursor
    this.#name = options.cursor.destination
    this.#head = options.cursor.sequence
    this.#working = this.#work()
  }

  state(): ExportState {
    const lag = this.#isChecked ? Math.max(0, this.#head - this.#cursor.sequence) : 0
    return { destination: this.#name, exported: this.#exported, failures: this.#failures.total, lag }
  }

  wake({ sequence }: AuditHead): void {
    this.#head = Math.max(this.#head, sequence)
    this.#nudge.abort()
  }

  async close(): Promise<void> {
    const { destination, log } = this.#options
    const timer = setTimeout(() => this.#cut.abort(new Error('the server is closing')), closingMs)
    this.#closing.abort()
    await this.#working
    try {
      if (this.#failures.inARow === 0 && this.#isChecked) while (await this.#sendNext());
    } catch (error) {
      const message = 'the rest of the audit log will be exported after the next start'
      log.warn({ destination: this.#name, error }, message)
    } finally {
      clearTimeout(timer)
      await destination.close().catch(() => undefined)
    }
  }

  async #work(): Promise<void> {
    const { exclusive = onlyProcess } = this.#options
    while (!this.#closing.signal.aborted) {
      try {
        if (!(await exclusive.isMine('audit_export'))) {
          this.#isChecked = false
          await this.#pause(pollMs)
          continue
        }
        if (!this.#isChecked) await this.#takeUp()
        this.#isChecked = true
        this.#nudge = new AbortController()
        if (!(await this.#sendNext())) await this.#pause(pollMs, this.#nudge.signal)
      } catch (error) {
        if (!this.#closing.signal.aborted) await this.#pause(this.#failed(error))
      }
    }
  }

  /** Continues where an earlier process or another node stopped. */
  async #takeUp(): Promise<void> {
    const { audit, log } = this.#options
    const cursors = await audit.exportCursors()
    this.#cursor = cursors.find(({ destination }) => destination === this.#name) ?? this.#cursor
    if (await isInLog(audit, this.#cursor)) return
    log.error(
      { destination: this.#name, sequence: this.#cursor.sequence },
      'the audit log differs from the exported one; exporting it again from its first entry; run: tocsin audit verify',
    )
    this.#cursor = { sequence: 0, hash: beginning }
  }

  /** False: nothing was left to send. */
  async #sendNext(): Promise<boolean> {
    const { audit, destination, log } = this.#options
    const entries = await readBatch(audit, this.#cursor, this.#mostEntries)
    const last = entries.at(-1)
    if (last === undefined) return false
    this.#head = Math.max(this.#head, last.sequence)
    const timeout = AbortSignal.timeout(sendTimeoutMs)
    await destination.send(entries, AbortSignal.any([this.#cut.signal, timeout]))
    await audit.moveExport(this.#name, last)
    this.#cursor = last
    this.#exported += entries.length
    this.#mostEntries = Math.min(maxBatch.entries, this.#mostEntries * 2)
    if (this.#failures.inARow > 0)
      log.info({ destination: this.#name, count: this.#failures.inARow }, 'audit log export resumed')
    this.#failures.end()
    return true
  }

  /** Returns the delay before the next try. */
  #failed(error: unknown): number {
    const { clock, log } = this.#options
    if (error instanceof RetryLater && error.isTooLarge)
      this.#mostEntries = Math.max(1, this.#mostEntries >> 1)
    const count = this.#head - this.#cursor.sequence
    if (this.#failures.add(clock.now()))
      log.warn({ destination: this.#name, count, error }, 'could not export the audit log; retrying')
    return this.#failures.delayMs(error)
  }

  async #pause(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
    await this.#options.clock
      .sleep(ms, AbortSignal.any([this.#closing.signal, ...signals]))
      .catch(() => undefined)
  }
}

class Failures {
  total = 0
  inARow = 0
  #loggedAt = 0

  /** Whether to log this failure. */
  add(now: number): boolean {
    this.total++
    this.inARow++
    const isDue = this.inARow === 1 || now - this.#loggedAt >= logAgainMs
    if (isDue) this.#loggedAt = now
    return isDue
  }

  end(): void {
    this.inARow = 0
  }

  delayMs(error: unknown): number {
    const backoff = Math.min(retryMs.most, retryMs.first * 2 ** (this.inARow - 1))
    return error instanceof RetryLater
      ? Math.max(backoff, Math.min(error.afterMs, retryMs.mostAskedFor))
      : backoff
  }
}

async function readBatch(
  audit: Pick<AuditStore, 'after'>,
  cursor: AuditHead,
  mostEntries: number,
): Promise<readonly ExportedEntry[]> {
  let [bytes, previousHash] = [0, cursor.hash]
  const entries: ExportedEntry[] = []
  for (const entry of await audit.after(cursor.sequence, mostEntries)) {
    bytes += entry.entry.length
    if (entries.length > 0 && bytes > maxBatch.bytes) break
    entries.push({ ...entry, previousHash })
    previousHash = entry.hash
  }
  return entries
}

/** False after the database was replaced, e.g. by an older backup. */
async function isInLog(audit: Pick<AuditStore, 'after'>, { sequence, hash }: AuditHead): Promise<boolean> {
  if (sequence === 0) return true
  const [entry] = await audit.after(sequence - 1, 1)
  return entry?.sequence === sequence && entry.hash === hash
}
