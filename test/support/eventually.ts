import { setTimeout as sleep } from 'node:timers/promises'

/** Shorter than mocha's limit of 60 seconds, so that the error names what was waited for. */
const patienceMs = 50_000

/** Polls until there is a result, for background work; fails after a time limit. */
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
