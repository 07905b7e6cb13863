import type { Checkpoint } from '../../../../core/domain/checkpoint.ts'
import { isApprovalPath } from '../../../../core/engine/journal/paths.ts'
import { isApproval } from '../../../../core/transitions/question.ts'
import { requireMayGive, type Caller } from '../../caller/caller.ts'

/**
 * An approval allows a destructive action, which needs a permission of its own. Everyone who answers questions may refuse it.
 *
 * @throws RequestError `permission_exceeded`
 */
export function requireMayApprove(
  caller: Caller,
  checkpoints: readonly Pick<Checkpoint, 'path' | 'organizationUuid'>[],
  value: unknown,
): void {
  if (!isApproval(value)) return
  for (const { path, organizationUuid } of checkpoints)
    if (isApprovalPath(path)) requireMayGive(caller, ['approvals:write'], organizationUuid)
}
