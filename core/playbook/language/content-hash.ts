import { createHash } from 'node:crypto'

/** The identity of a playbook: SHA-256 of its source, hex. */
export function contentHash(source: string): string {
  return createHash('sha256').update(source).digest('hex')
}
