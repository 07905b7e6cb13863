/** Random numbers from 0 to 1, the same for the same seed: mulberry32. */
export function makeRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The same in each `npm test`, so that only a change can turn a random test red; new in its long form. */
export const seed = Number(process.env['TOCSIN_TEST_SEED'] ?? 1)

/** Repetitions of a random test: `count`, multiplied by `TOCSIN_TEST_TIMES` in the long form of the tests. */
export const times = (count: number): number => count * Number(process.env['TOCSIN_TEST_TIMES'] ?? 1)

/** Rounds of a loop that looks for rare faults, all alike but for chance: one in `npm test`, `count` or more in its long form. */
export const rounds = (count: number): number => (times(1) === 1 ? 1 : times(count))

/** For fast-check. */
export const tries = (count: number) => ({ seed, numRuns: times(count) })
