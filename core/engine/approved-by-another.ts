import type { Checkpoint } from '../domain/checkpoint.ts'
import { ForbiddenError } from '../errors/errors.ts'
import type { RunStore } from '../ports.ts'
import { approved } from './approval.ts'
import { isApprovalPath } from './paths.ts'
import type { PersonsAnswer } from './run-control.ts'

/**
 * The use of a destructive skill is held back for a person to look at: a program that floods with one API key approves nothing of what it
 * asked for itself. Another key may, and a person with whichever key who had signed in before the run was there: a program that is refused
 * could sign in with its key as well.
 *
 * @throws ForbiddenError `approval_by_requester`
 */
export async function requireAnother(
  runs: Pick<RunStore, 'find' | 'requesters'>,
  checkpoints: readonly Checkpoint[],
  { by, value, signedInAt = Infinity }: PersonsAnswer,
): Promise<void> {
  if (by.kind !== 'api_key' || value !== approved) return
  for (const { path, runUuid } of checkpoints) {
    if (!isApprovalPath(path) || !(await runs.requesters(runUuid)).includes(by.id)) continue
    const run = await runs.find('all', runUuid)
    if (run === undefined || signedInAt >= run.createdAt)
      throw new ForbiddenError(
        'approval_by_requester',
        `the key ${by.id} asked for the run ${runUuid}, and cannot approve itself what it does`,
        {
          hint: 'have somebody answer with another key, or at the web page as who had signed in before the run was asked for',
        },
      )
  }
}
