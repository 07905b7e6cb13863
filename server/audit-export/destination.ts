import type { StoredAuditEntry } from '../../core/audit/audit-chain.ts'

/** With the hash of the entry before, so that a reader can verify the chain. */
export interface ExportedEntry extends StoredAuditEntry {
  readonly previousHash: string
}

/** Receives one batch at a time. */
export interface Destination {
  /** Throws if the destination cannot be used, e.g. because its folder is missing. */
  check(): Promise<void>
  /**
   * Resolves once all entries are stored. After a rejection they are sent again, so some may arrive twice.
   *
   * @throws RetryLater if the receiver asks for a delay
   */
  send(entries: readonly ExportedEntry[], signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** The receiver asks for a delay, or for smaller batches. */
export class RetryLater extends Error {
  readonly afterMs: number
  readonly isTooLarge: boolean

  constructor(message: string, { afterMs = 0, isTooLarge = false } = {}) {
    super(message)
    this.afterMs = afterMs
    this.isTooLarge = isTooLarge
  }
}

/**
 * An entry as a line of JSON: the hashed text plus the hashes as its last two fields. Removing these two
 * gives the hashed text, byte for byte.
 */
export const lineOf = ({ entry, hash, previousHash }: ExportedEntry): string =>
  `${entry.slice(0, -1)},"hash":"${hash}","previous_hash":"${previousHash}"}`
