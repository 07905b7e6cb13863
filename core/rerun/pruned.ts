import { ConflictError } from '../errors/errors.ts'

/** Nobody knows any more what it did. */
export function runPruned(runUuid: string): ConflictError {
  return new ConflictError(
    'run_pruned',
    `the steps of ${runUuid} are kept no longer: nothing can go on from it`,
    {
      hint: 'POST alerts/<alert>/investigate begins anew',
    },
  )
}
