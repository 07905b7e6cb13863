/** Loaded with `--import`: what waits for a minute waits no longer. */
const { setTimeout } = globalThis
const now = performance.now.bind(performance)
let passed = 0

performance.now = () => now() + passed
// The timers that wait so long give nothing to what they call.
globalThis.setTimeout = ((work: () => void, ms?: number, ...given: readonly []) => {
  if (ms === undefined || ms <= 59_000 || ms > 60_000) return setTimeout(work, ms, ...given)
  return setTimeout(() => {
    passed += 60_000
    work()
  }, 500)
}) as typeof setTimeout
