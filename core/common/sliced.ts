import { setImmediate } from 'node:timers/promises'

/**
 * Work that can be done in time slices: it yields wherever others may be served in between, and `long` before a part that may
 * take tens of milliseconds and cannot be divided.
 */
export type Sliced<T> = Generator<'long' | undefined, T, void>

/** Does the work without a break: for commands, tests, and what is known to be small. */
export function runAtOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
  }
}

/** In milliseconds: after a time slice others are served. */
const sliceMs = 10
/** In milliseconds: after less than this, a long part may follow in the same time slice. */
const shortMs = 3

/**
 * Does the work in time slices.
 *
 * @param pause resolves when others have been served; is told for how many milliseconds they were not
 */
export async function runInSlices<T>(
  work: Sliced<T>,
  pause: (heldMs: number) => Promise<void> = () => setImmediate(),
): Promise<T> {
  let from = performance.now()
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
    const heldMs = performance.now() - from
    if (heldMs < (value === 'long' ? shortMs : sliceMs)) continue
    await pause(heldMs)
    from = performance.now()
  }
}
