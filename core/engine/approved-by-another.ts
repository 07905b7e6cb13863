import type { Checkpoint } from '../domain/checkpoint.ts'
import { ForbiddenError } from '../errors/errors.ts'
import type { RunStore } from '../ports.ts'
import { approved } from './approval.ts'
import { isApprovalPath } from './paths.ts'
import type { PersonsAnswer } from './run-control.ts'

/**
 * The use of a destructive skill is held back for a person to look at: a program that floods with one API key approves nothing of what it
 * asked for itself. Another key may, and a person who has signed in, with whichever key.
 *
 * @throws ForbiddenError `approval_by_requester`
 */
export async function requireAnother(
  runs: Pick<RunStore, 'requesters'>,
  checkpoints: readonly Checkpoint[],
  { by, value, signedIn }: PersonsAnswer,
): Promise<void> {
  if (by.kind !== 'api_key' || signedIn === true || value !== approved) return
  for (const { path, runUuid } of checkpoints)
    if (isApprovalPath(path) && (await runs.requesters(runUuid)).includes(by.id))
      throw new ForbiddenError(
        'approval_by_requester',
        `the key ${by.id} asked for the run ${runUuid}, and cannot approve itself what it does`,
        { hint: 'sign in to the web page and approve it there, or have somebody answer with another key' },
      )
}
