/** The same numbers from 0 to 1 for the same seed: mulberry32. */
export function makeRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Drawn anew for each run of the tests, unless `TOCSIN_TEST_SEED` says which; what fails prints it. */
export const seed = Number((process.env['TOCSIN_TEST_SEED'] ??= String(Date.now() % 1_000_000)))

/** How often something random is tried: `count` times, and `TOCSIN_TEST_TIMES` as often in the long form of the tests. */
export const times = (count: number): number => count * Number(process.env['TOCSIN_TEST_TIMES'] ?? 1)

/** For fast-check. */
export const tries = (count: number) => ({ seed, numRuns: times(count) })
