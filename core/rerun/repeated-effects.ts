import type { FailedAttempt, JournalEntry } from '../domain/run.ts'
import { effectOf } from '../engine/journal/earlier-tries.ts'
import type { Repeat } from '../plugin/index.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import type { CarriedStep, RepeatedEffect } from './plan.ts'

/** Writes of the run before that took effect, or may have, and that the new run does again if it comes past them. */
export function repeatedEffects(
  steps: readonly CarriedStep[],
  failed: readonly FailedAttempt[],
  catalogue: Pick<Catalogue, 'skill'>,
): readonly RepeatedEffect[] {
  const attempts = Map.groupBy(failed, ({ path }) => path)
  return steps.flatMap(({ entry, reason }) => {
    // What the new playbook no longer has is not done again.
    if (reason === null || reason === 'gone' || !isWrite(entry, catalogue)) return []
    const tookEffect = effectOf(entry, attempts.get(entry.path) ?? [])
    const repeat = repeatOf(entry, catalogue)
    return tookEffect === 'no' ? [] : [{ entry, reason, tookEffect, repeat }]
  })
}

/** A skill that is not installed may have done anything. Other kinds of steps have no dot. */
function isWrite({ kind }: JournalEntry, catalogue: Pick<Catalogue, 'skill'>): boolean {
  return kind.includes('.') && catalogue.skill(kind)?.skill.effect !== 'read'
}

function repeatOf({ kind }: JournalEntry, catalogue: Pick<Catalogue, 'skill'>): Repeat | null {
  const skill = catalogue.skill(kind)?.skill
  return skill?.effect === 'write' ? skill.repeat : null
}
