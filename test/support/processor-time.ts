/**
 * Processor time of this process in milliseconds. Tests limit this time, because other programs on the
 * machine do not count.
 */
export function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Processor time of this thread in milliseconds: the time that its event loop is blocked. */
export function threadTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
