import type { Checkpoint } from '../checkpoint.ts'

/** So many that ended are kept: those of a whole answer to many, and more. */
const mostEnded = 200

/** Questions as they are shown: those that end keep their place, so that no click meets another than was aimed at; new ones go below. Of very many that ended, the first go. */
export function keepShown(
  shown: readonly Checkpoint[],
  waiting: readonly Checkpoint[],
): readonly Checkpoint[] {
  const fresh = new Map(waiting.map((checkpoint) => [checkpoint.checkpoint_id, checkpoint]))
  const known = new Set(shown.map(({ checkpoint_id: id }) => id))
  let tooMany = shown.filter(({ checkpoint_id: id }) => !fresh.has(id)).length - mostEnded
  const kept = shown.filter(({ checkpoint_id: id }) => fresh.has(id) || tooMany-- <= 0)
  return [
    ...kept.map((checkpoint) => fresh.get(checkpoint.checkpoint_id) ?? checkpoint),
    ...waiting.filter(({ checkpoint_id: id }) => !known.has(id)),
  ]
}
