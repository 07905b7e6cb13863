import { createHash } from 'node:crypto'
import type { AuditHead } from '../domain/audit.ts'

/** An entry as it is stored. */
export interface StoredAuditEntry extends AuditHead {
  /** Canonical JSON of an `AuditRecord`. */
  readonly entry: string
}

/** The result of verifying the chain from its beginning. */
export interface AuditVerdict {
  /** Number of unchanged entries. */
  readonly entries: number
  /** The last of them; null if there is none. */
  readonly head: AuditHead | null
  /** The first changed entry; null if there is none. */
  readonly broken: { readonly sequence: number; readonly reason: string } | null
  /** Names of the triggers that protect the entries and are missing or changed. Default: none. */
  readonly unguarded?: readonly string[]
}

/** The previous hash of the first entry. */
export const beginning = '0'.repeat(64)

/** SHA-256 in hex of the previous hash (as text; 64 zeros for the first entry), a line feed, and the entry. */
export function hashEntry(previous: string | undefined, entry: string): string {
  return createHash('sha256')
    .update(`${previous ?? beginning}\n${entry}`)
    .digest('hex')
}

/**
 * Verifies the chain up to its end or the first changed entry. Detects entries that were changed, removed,
 * inserted or moved within the log. Entries missing at the end, or a completely rewritten log, are only
 * detected with a head that was kept elsewhere.
 *
 * @param kept an entry noted elsewhere, which must exist with this hash
 */
export function verifyChain(
  entries: Iterable<StoredAuditEntry>,
  kept?: AuditHead,
  before: AuditHead | null = null,
): AuditVerdict {
  let head = before
  const broken = (sequence: number, reason: string): AuditVerdict => ({
    entries: head?.sequence ?? 0,
    head,
    broken: { sequence, reason },
  })
  for (const { sequence, entry, hash } of entries) {
    const expected: number = (head?.sequence ?? 0) + 1
    if (sequence !== expected) return broken(expected, 'it is missing')
    if (hash !== hashEntry(head?.hash, entry))
      return broken(sequence, 'its text, its hash, or the previous entry was changed')
    if (numberOf(entry) !== sequence) return broken(sequence, 'its sequence number was changed')
    if (kept?.sequence === sequence && kept.hash !== hash)
      return broken(sequence, 'it differs from the kept entry: the log was rewritten')
    head = { sequence, hash }
  }
  if (kept !== undefined && kept.sequence > (head?.sequence ?? 0))
    return broken(
      (head?.sequence ?? 0) + 1,
      `the log had at least ${kept.sequence} entries and now ends earlier`,
    )
  return { entries: head?.sequence ?? 0, head, broken: null }
}

function numberOf(entry: string): unknown {
  try {
    return (JSON.parse(entry) as { readonly sequence?: unknown } | null)?.sequence
  } catch {
    return undefined
  }
}
