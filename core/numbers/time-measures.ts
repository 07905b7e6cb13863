import type { CaseEntry } from '../domain/case.ts'
import type { Checkpoint } from '../domain/checkpoint.ts'

/** What is measured from the first alert of a case, or its opening if that was earlier; `answer`: from a question to its answer. */
export const timeMeasures = ['action', 'decision', 'close', 'answer'] as const
export type TimeMeasure = (typeof timeMeasures)[number]

/** Of a case; the answer belongs to a question. */
export type CaseMeasure = Exclude<TimeMeasure, 'answer'>

/** What an entry of a timeline ends: the first destructive action, the first verdict, the first closing. */
export function measuresOf({ kind, changes }: Pick<CaseEntry, 'kind' | 'changes'>): readonly CaseMeasure[] {
  if (kind === 'action') return ['action']
  if (kind !== 'changed' || changes === null) return []
  const { verdict, status } = changes
  return [
    ...(verdict !== undefined && verdict !== 'unknown' ? (['decision'] as const) : []),
    ...(status === 'closed' ? (['close'] as const) : []),
  ]
}

/** When a question ended; one that was withdrawn or decided by others is counted at its beginning. */
export const questionTime = ({ state, answer, timeoutAt, createdAt }: Checkpoint): number =>
  answer?.at ?? (state === 'timed_out' ? timeoutAt : createdAt)
