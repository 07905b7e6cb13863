/** Loaded with `--import`: waits of a minute or longer end immediately. */
const { setTimeout } = globalThis
const now = performance.now.bind(performance)
let passed = 0

performance.now = () => now() + passed
// Timers that wait this long pass no arguments to their callbacks.
globalThis.setTimeout = ((work: () => void, ms?: number, ...given: readonly []) => {
  if (ms === undefined || ms <= 59_000 || ms > 60_000) return setTimeout(work, ms, ...given)
  return setTimeout(() => {
    passed += 60_000
    work()
  }, 500)
}) as typeof setTimeout
