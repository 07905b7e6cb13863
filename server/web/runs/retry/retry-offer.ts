import type { Run } from '../../api/types.ts'
import type { Playbook } from '../../playbooks/playbook.ts'
import { hasEnded } from '../run/has-ended.ts'

/** From where a retry goes on: from what failed; of a run that completed, only with a newer version of its playbook. */
export type RetryOffer = 'failed' | 'newer'

export const retryTitles: Readonly<Record<RetryOffer, string>> = {
  failed: 'Retry from failed step',
  newer: 'Run newer version',
}

/**
 * Null: nothing can go on from the run.
 *
 * @param newest of its playbook; undefined where it is not known (yet)
 */
export function retryOffer(
  run: Pick<Run, 'status' | 'pruned_at' | 'retried_by' | 'playbook_hash'>,
  newest: Pick<Playbook, 'hash' | 'in_force'> | undefined,
): RetryOffer | null {
  if (!hasEnded(run) || run.pruned_at !== null || run.retried_by !== null) return null
  if (run.status !== 'completed') return 'failed'
  return newest?.in_force === true && newest.hash !== run.playbook_hash ? 'newer' : null
}
