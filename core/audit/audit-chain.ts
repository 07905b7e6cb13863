import { createHash } from 'node:crypto'
import type { AuditHead } from '../domain/audit.ts'

/** An entry as it is stored. */
export interface StoredAuditEntry extends AuditHead {
  /** Canonical JSON of an `AuditRecord`. */
  readonly entry: string
}

/** What came of following the chain from its beginning. */
export interface AuditVerdict {
  /** Entries that are as they were recorded. */
  readonly entries: number
  /** The last of them; null where there is none. */
  readonly head: AuditHead | null
  /** The first entry that is not; null where all are. */
  readonly broken: { readonly sequence: number; readonly reason: string } | null
  /** What should keep entries from being changed, and is not there as it was made: names of triggers. Default: nothing is missing. */
  readonly unguarded?: readonly string[]
}

/** What the first entry follows. */
export const beginning = '0'.repeat(64)

/** SHA-256, hex, of the hash before (as text; 64 zeros for the first entry), a line feed, and the entry. */
export function hashEntry(previous: string | undefined, entry: string): string {
  return createHash('sha256')
    .update(`${previous ?? beginning}\n${entry}`)
    .digest('hex')
}

/**
 * Follows the chain until its end or the first entry that is not what was recorded there. It shows what was changed, removed, put in or moved in
 * the midst of the log; entries that are missing at its end, or a log that was written anew as a whole, only show against a head kept elsewhere.
 *
 * @param kept an entry that was noted elsewhere: it has to be there with that hash
 */
export function verifyChain(entries: Iterable<StoredAuditEntry>, kept?: AuditHead): AuditVerdict {
  let head: AuditHead | null = null
  const broken = (sequence: number, reason: string): AuditVerdict => ({
    entries: head?.sequence ?? 0,
    head,
    broken: { sequence, reason },
  })
  for (const { sequence, entry, hash } of entries) {
    const expected: number = (head?.sequence ?? 0) + 1
    if (sequence !== expected) return broken(expected, 'it is missing')
    if (hash !== hashEntry(head?.hash, entry))
      return broken(sequence, 'its text, its hash, or the entry before it was changed')
    if (numberOf(entry) !== sequence)
      return broken(sequence, 'it stands at another place than it was recorded at')
    if (kept?.sequence === sequence && kept.hash !== hash)
      return broken(sequence, 'it is not the one that was kept: the log was written anew')
    head = { sequence, hash }
  }
  if (kept !== undefined && kept.sequence > (head?.sequence ?? 0))
    return broken(
      (head?.sequence ?? 0) + 1,
      `the log once went on, at least to ${kept.sequence}, and now ends before it`,
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
