import { setImmediate } from 'node:timers/promises'
import type { Line, LineStore, StretchRequest } from '../ports/runs/journal-reader.ts'

/** A journal from its first line to its last, a stretch at a time: others are served in between. */
export async function* stretchesOf(
  lines: Pick<LineStore, 'stretch'>,
  runUuid: string,
  request: Omit<StretchRequest, 'after'>,
): AsyncGenerator<readonly Line[], void> {
  let after: number | undefined
  for (;;) {
    const stretch = await lines.stretch(runUuid, { ...request, after })
    yield stretch.lines
    if (stretch.next === undefined) return
    after = stretch.next
    await setImmediate()
  }
}
