import type { Author, Actor } from '../../domain/audit.ts'
import type { Checkpoint } from '../../domain/checkpoint.ts'
import { ForbiddenError } from '../../errors/errors.ts'
import type { KeyStore } from '../../ports/access/key-store.ts'
import type { RunStore } from '../../ports/runs/run-store.ts'
import { isApproval } from '../context/approval.ts'
import { isApprovalPath } from '../journal/paths.ts'

export interface PersonsAnswer {
  readonly value: unknown
  readonly by: Actor
  /** Since when the session is there that it came with, in epoch milliseconds. Default: it came with a key. */
  readonly signedInAt?: number | undefined
  readonly text: string | null
}

/** Whether who asked for a run may approve what it does: never, or where they had signed in before the run was there. */
export const selfApprovals = ['never', 'signed_in'] as const
export type SelfApproval = (typeof selfApprovals)[number]

interface ApprovalStores {
  readonly runs: Pick<RunStore, 'find' | 'requesters'>
  readonly keys: Pick<KeyStore, 'find'>
}

/**
 * The use of a destructive skill is held back for a person to look at: a program that floods with one API key approves nothing of what it
 * asked for itself, neither with the key nor with a session, which it begins with the same key, nor with a key that it created, or that such
 * a key created. Where one person works alone, `signed_in` lets a
 * session approve that was there before the run was: a program that is refused comes too late.
 *
 * @throws ForbiddenError `approval_by_requester`
 */
export async function requireAnother(
  { runs, keys }: ApprovalStores,
  checkpoints: readonly Checkpoint[],
  { by, value, signedInAt = Infinity }: PersonsAnswer,
  selfApproval: SelfApproval,
): Promise<void> {
  if (by.kind !== 'api_key' || !isApproval(value)) return
  const asked = checkpoints.filter(({ path }) => isApprovalPath(path))
  if (asked.length === 0) return
  const chain = await makersOf(keys, by.id)
  for (const { runUuid } of asked) {
    const requesters = await runs.requesters(runUuid)
    const requester = chain.find((id) => requesters.includes(id))
    if (requester === undefined) continue
    if (selfApproval === 'signed_in') {
      const run = await runs.find('all', runUuid)
      if (run !== undefined && signedInAt < run.createdAt) continue
    }
    throw new ForbiddenError(
      'approval_by_requester',
      requester === by.id
        ? `the key ${by.id} requested the run ${runUuid}, and cannot approve its actions`
        : `the key ${by.id} goes back to the key ${requester}, which requested the run ${runUuid}, and cannot approve its actions`,
      { hint: hints[selfApproval] },
    )
  }
}

/** A key, the one that created it, the one that created that, and so on. Also those that were revoked. */
async function makersOf(keys: ApprovalStores['keys'], id: string): Promise<readonly string[]> {
  const chain = new Set<string>()
  for (let next: string | undefined = id; next !== undefined && !chain.has(next);) {
    chain.add(next)
    const createdBy: Author | null | undefined = (await keys.find(next))?.key.createdBy
    next = createdBy?.kind === 'api_key' ? createdBy.id : undefined
  }
  return [...chain]
}

const hints: Readonly<Record<SelfApproval, string>> = {
  never:
    'answer with a key that the requester did not create, e.g. one made with `tocsin keys create` on the machine of the server; who works alone sets TOCSIN_SELF_APPROVAL',
  signed_in:
    'answer with a key that the requester did not create, or at the web page in a session from before the run was requested',
}
