/** Between two looks, in milliseconds. */
const intervalMs = 500

/** Tells by how many seconds a timer is late, again and again; gives what ends that. */
export function watchEventLoop(onLag: (seconds: number) => void): () => void {
  let dueAt = performance.now() + intervalMs
  const timer = setInterval(() => {
    const now = performance.now()
    onLag(Math.max(0, now - dueAt) / 1000)
    dueAt = now + intervalMs
  }, intervalMs)
  timer.unref()
  return () => clearInterval(timer)
}
