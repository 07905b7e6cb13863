import { ConflictError } from '../errors/errors.ts'

/** A later run has gone on from it, or has investigated its alert: what that did is not in its journal. */
export function runSuperseded(runUuid: string): ConflictError {
  return new ConflictError(
    'run_superseded',
    `a later run has gone on from ${runUuid}, or investigated its alert`,
    { hint: 'retry the later one: GET runs lists them, newest first' },
  )
}
