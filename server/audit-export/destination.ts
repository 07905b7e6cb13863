import type { StoredAuditEntry } from '../../core/audit/audit-chain.ts'

/** An entry with the hash of the one before, so that whoever has both can follow the chain. */
export interface ExportedEntry extends StoredAuditEntry {
  readonly previousHash: string
}

/** Where entries are exported to. One batch at a time. */
export interface Destination {
  /** Throws where it cannot be used at all, e.g. since its folder is not there. */
  check(): Promise<void>
  /**
   * Resolves once all of these are taken. Rejects where that cannot be said: then they are sent again, and may be there twice.
   *
   * @throws RetryLater where the other side says when
   */
  send(entries: readonly ExportedEntry[], signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** The other side takes nothing for a while, or not so much at once. */
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
 * An entry in one line of JSON: the text that was hashed, with the hashes as its last two fields. Without these two it is that text again, byte
 * for byte.
 */
export const lineOf = ({ entry, hash, previousHash }: ExportedEntry): string =>
  `${entry.slice(0, -1)},"hash":"${hash}","previous_hash":"${previousHash}"}`
