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

/** Processor time of `referenceWork` in milliseconds on the machine that the limits were chosen on. */
const referenceMs = 8

/** Work of the usual kinds: it makes objects, writes and reads JSON, and walks through text. */
function referenceWork(): number {
  let sum = 0
  for (let round = 0; round < 5; round++) {
    const made = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, at) => [`k${(at * 7_919) % 2_000}`, { a: at, b: `${at}`.repeat(3) }]),
    )
    const read = JSON.parse(JSON.stringify(made)) as typeof made
    for (const [key, { b }] of Object.entries(read))
      for (const letter of key + b) sum = (sum * 31 + letter.charCodeAt(0)) | 0
  }
  return sum
}

/**
 * The limit in milliseconds for work on this machine at its present speed. It is `ms` unless the machine is
 * slower than the one that the limits were chosen on: then it grows with the time of the same reference work.
 */
export function limitHere(ms: number): number {
  const took = Array.from({ length: 8 }, () => {
    const from = threadTime()
    referenceWork()
    return threadTime() - from
  })
  return ms * Math.max(1, Math.min(...took) / referenceMs)
}
