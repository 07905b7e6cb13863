import { ConflictError } from '../errors/errors.ts'

/** The steps of the run were deleted, so it cannot be retried. */
export function runPruned(runUuid: string): ConflictError {
  return new ConflictError(
    'run_pruned',
    `the steps of ${runUuid} were deleted by the retention policy, so it cannot be retried`,
    {
      hint: 'POST alerts/<alert>/investigate starts from the beginning',
    },
  )
}

/** A later run retried it or investigated its alert, and the effects of that run are not in its journal. */
export function runSuperseded(runUuid: string): ConflictError {
  return new ConflictError('run_superseded', `a later run has retried ${runUuid} or investigated its alert`, {
    hint: 'retry the later one: GET runs lists them, newest first',
  })
}
