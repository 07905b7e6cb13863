import type { Checkpoint } from '../domain/checkpoint.ts'
import { ForbiddenError } from '../errors/errors.ts'
import type { RunStore } from '../ports.ts'
import { approved } from './approval.ts'
import { isApprovalPath } from './paths.ts'
import type { PersonsAnswer } from './run-control.ts'

/** Whether who asked for a run may approve what it does: never, or where they had signed in before the run was there. */
export const selfApprovals = ['never', 'signed_in'] as const
export type SelfApproval = (typeof selfApprovals)[number]

/**
 * The use of a destructive skill is held back for a person to look at: a program that floods with one API key approves nothing of what it
 * asked for itself, neither with the key nor with a session, which it begins with the same key. Where one person works alone, `signed_in` lets a
 * session approve that was there before the run was: a program that is refused comes too late.
 *
 * @throws ForbiddenError `approval_by_requester`
 */
export async function requireAnother(
  runs: Pick<RunStore, 'find' | 'requesters'>,
  checkpoints: readonly Checkpoint[],
  { by, value, signedInAt = Infinity }: PersonsAnswer,
  selfApproval: SelfApproval,
): Promise<void> {
  if (by.kind !== 'api_key' || value !== approved) return
  for (const { path, runUuid } of checkpoints) {
    if (!isApprovalPath(path) || !(await runs.requesters(runUuid)).includes(by.id)) continue
    if (selfApproval === 'signed_in') {
      const run = await runs.find('all', runUuid)
      if (run !== undefined && signedInAt < run.createdAt) continue
    }
    throw new ForbiddenError(
      'approval_by_requester',
      `the key ${by.id} asked for the run ${runUuid}, and cannot approve itself what it does`,
      { hint: hints[selfApproval] },
    )
  }
}

const hints: Readonly<Record<SelfApproval, string>> = {
  never:
    'have somebody answer with another key; who works alone makes one for the programs, or sets TOCSIN_SELF_APPROVAL',
  signed_in:
    'have somebody answer with another key, or at the web page as who had signed in before the run was asked for',
}
