/**
 * The result of comparing a place of the earlier run with the new one: carried over completely so that later
 * steps continue (`goes_on`), carried over with its end (failure, `return` or `fail`), or `open`: something
 * in it runs again.
 */
export interface Ending {
  readonly flow: 'goes_on' | 'failed' | 'ends' | 'open'
  /** Carried over only if an outer group handled the failure. */
  readonly undo: readonly string[]
}

/** A walk over a part of a journal. Yields regularly, because a journal can be long. */
export type ComparisonWalk = Generator<undefined, Ending>

export const completeEnding: Ending = { flow: 'goes_on', undo: [] }
export const openEnding: Ending = { flow: 'open', undo: [] }

/** The ending of parallel branches. See `joined` of the engine. */
export function joinedEndings(endings: readonly Ending[]): Ending {
  const undo = endings.flatMap((ending) => ending.undo)
  const has = (flow: Ending['flow'], isFailed?: boolean) =>
    endings.some(
      (each) => each.flow === flow && (isFailed === undefined || each.undo.length > 0 === isFailed),
    )
  if (has('open')) return { flow: 'open', undo }
  if (has('ends', true)) return { flow: 'ends', undo }
  if (has('failed')) return { flow: 'failed', undo }
  return { flow: has('ends') ? 'ends' : 'goes_on', undo }
}
