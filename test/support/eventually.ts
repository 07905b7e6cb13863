import { setTimeout as sleep } from 'node:timers/promises'

const patienceMs = 30_000

/** Looks until there is something, for things that happen beside the test; fails when nothing comes of it. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const end = performance.now() + patienceMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`)
    await sleep(20)
  }
}
