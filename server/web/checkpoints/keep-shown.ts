import type { Checkpoint } from './checkpoint.ts'

/** Questions as they are shown: those that end keep their place, so that no click meets another than was aimed at; new ones go below. */
export function keepShown(
  shown: readonly Checkpoint[],
  waiting: readonly Checkpoint[],
): readonly Checkpoint[] {
  const fresh = new Map(waiting.map((checkpoint) => [checkpoint.checkpoint_id, checkpoint]))
  const known = new Set(shown.map(({ checkpoint_id: id }) => id))
  return [
    ...shown.map((checkpoint) => fresh.get(checkpoint.checkpoint_id) ?? checkpoint),
    ...waiting.filter(({ checkpoint_id: id }) => !known.has(id)),
  ]
}
