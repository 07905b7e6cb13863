import { setImmediate } from 'node:timers/promises'

/**
 * Work in time slices: it yields where other tasks may run, and yields `long` before a part that may take
 * tens of milliseconds and cannot be split.
 */
export type Sliced<T> = Generator<'long' | undefined, T, void>

/** Does the work without yielding: for commands, tests, and small inputs. */
export function runAtOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
  }
}

/** Length of a time slice, in milliseconds. */
const sliceMs = 10
/** A long part may follow in the same slice if less than this many milliseconds have passed. */
const shortMs = 3

/**
 * Does the work in time slices.
 *
 * @param pause resolves after other tasks had a turn; its argument is how many milliseconds they waited
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
