import { ConflictError } from '../../../core/errors/errors.ts'
import type { SeenRevision } from '../../../core/ports/common.ts'

/** Inside of the write of an edit. Throws ConflictError `revision_changed`. */
export function requireRevision(current: number, seen: SeenRevision): void {
  if (seen === undefined || seen === current) return
  throw new ConflictError('revision_changed', 'it has been changed since it was seen', {
    hint: 'look at it as it is now, and send the change again with its ETag',
  })
}
