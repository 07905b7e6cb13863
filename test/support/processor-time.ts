/**
 * Milliseconds that the processor has worked for this process: what a test may set limits to, since other programs on the machine
 * do not count.
 */
export function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Milliseconds that the processor has worked for this thread: what keeps an event loop from going on. */
export function threadTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
