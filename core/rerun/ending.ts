/**
 * How a place of the run before stands to the new one: all of it is carried over and the steps after it go on (`goes_on`), or it
 * ends as it did, failed or by `return` and `fail`; `open`: something in it runs again.
 */
export interface Ending {
  readonly flow: 'goes_on' | 'failed' | 'ends' | 'open'
  /** Carried over only if what surrounds them handled the failure. */
  readonly undo: readonly string[]
}

/** A walk over a part of a journal. It yields now and then: a journal is long, and others are waiting. */
export type Walk = Generator<undefined, Ending>

export const goesOn: Ending = { flow: 'goes_on', undo: [] }
export const open: Ending = { flow: 'open', undo: [] }

/** What came of several at once. See `joined` of the engine. */
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
