import type { JournalEntry, FailedAttempt } from '../domain/run.ts'
import type { Repeat } from '../plugin/index.ts'
import { changesState } from '../state/state.ts'
import { effectOf } from '../engine/journal/earlier-tries.ts'
import type { Catalogue } from '../registry/catalogue.ts'

/** Why an entry of a journal is not carried over. */
export type Reason =
  /** It failed without being handled, or did not end. */
  | 'failed'
  | 'not_ended'
  /** The run or a group around it timed out, or the run was cancelled. */
  | 'out_of_time'
  | 'cancelled'
  /** It ran because of a failure or the end of the run. */
  | 'followed_from_end'
  /** Something inside it runs again. */
  | 'inside_runs_again'
  /** It reads a step that runs again, or a changed input. */
  | 'reads_changed'
  /** It reads the time or the run itself. */
  | 'reads_run'
  /** The step or a group around it was changed or removed. */
  | 'changed'
  | 'gone'

/** Whether an entry of the earlier run's journal is carried over. */
export interface CarriedStep {
  readonly entry: JournalEntry
  /** Null if it is carried over. */
  readonly reason: Reason | null
  /** The data that it reads, or the change. */
  readonly detail?: string | undefined
}

/** A write of the earlier run that took effect, or may have, and that the retry may repeat. */
export interface RepeatedEffect {
  readonly entry: JournalEntry
  /** `may_have`: it failed or never ended, so its outcome is unknown. */
  readonly tookEffect: 'yes' | 'may_have'
  readonly reason: Reason
  /** The skill's `repeat`; null if the skill is not installed. */
  readonly repeat: Repeat | null
}

/** Writes of the earlier run that took effect, or may have, and that the retry repeats if it reaches them. */
export function repeatedEffects(
  steps: readonly CarriedStep[],
  failed: readonly FailedAttempt[],
  catalogue: Pick<Catalogue, 'skill'>,
): readonly RepeatedEffect[] {
  const attempts = Map.groupBy(failed, ({ path }) => path)
  return steps.flatMap(({ entry, reason }) => {
    // Steps that the new playbook does not have are not repeated.
    if (reason === null || reason === 'gone' || !isWrite(entry, catalogue)) return []
    const tookEffect = effectOf(entry, attempts.get(entry.path) ?? [])
    const repeat = repeatOf(entry, catalogue)
    return tookEffect === 'no' ? [] : [{ entry, reason, tookEffect, repeat }]
  })
}

/** A skill that is not installed may have written. Other kinds of steps have no dot in their name. */
function isWrite({ kind, input }: JournalEntry, catalogue: Pick<Catalogue, 'skill'>): boolean {
  if (kind === 'state') return changesState(input)
  return kind.includes('.') && catalogue.skill(kind)?.skill.effect !== 'read'
}

function repeatOf({ kind, input }: JournalEntry, catalogue: Pick<Catalogue, 'skill'>): Repeat | null {
  if (kind === 'state') return Object.hasOwn(Object(input) as object, 'increment') ? 'never' : 'safe'
  const skill = catalogue.skill(kind)?.skill
  return skill?.effect === 'write' ? skill.repeat : null
}
