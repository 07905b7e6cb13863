import type { Usage } from './answer-parent.ts'

/** The result of a measurement. */
export interface Figures {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly p999: number
  /** CPU milliseconds per operation of the measured process. */
  readonly cpuMs: number
  /** Disk syncs per operation. */
  readonly flushes: number
}

/** Cells of a table under `figureTitles`. */
export const figureTitles = ['per second', 'p50 ms', 'p99 ms', 'p99.9 ms', 'CPU ms', 'flushes']

export function cells({ perSecond, p50, p99, p999, cpuMs, flushes }: Figures): string[] {
  return [
    whole(perSecond),
    p50.toFixed(2),
    p99.toFixed(2),
    p999.toFixed(2),
    cpuMs.toFixed(3),
    flushes.toFixed(2),
  ]
}

export const whole = (number: number): string => Math.round(number).toLocaleString('en')

/**
 * Measures several subjects in turns and keeps the best round of each: other load on the machine affects all
 * alike, and the least affected round is the most precise.
 */
export async function bestOf<Name extends string>(
  rounds: number,
  ways: Readonly<Record<Name, () => Promise<Figures>>>,
): Promise<Readonly<Record<Name, Figures>>> {
  const best: Partial<Record<Name, Figures>> = {}
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(ways) as Name[]) {
      const figures = await ways[name]()
      const before = best[name]
      if (before === undefined || figures.perSecond > before.perSecond) best[name] = figures
    }
  }
  return best as Record<Name, Figures>
}

/** Repeats `one` in `count` closed loops for this long, and returns the measurement. */
export async function measure(
  one: (loop: number) => Promise<void>,
  { count, seconds, usage }: { count: number; seconds: number; usage: () => Promise<Usage> | Usage },
): Promise<Figures> {
  const latencies: number[] = []
  const before = await usage()
  const began = performance.now()
  const until = began + seconds * 1_000
  async function loop(number: number): Promise<void> {
    while (performance.now() < until) {
      const start = performance.now()
      await one(number)
      latencies.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: count }, (_, number) => loop(number)))
  const elapsedMs = performance.now() - began
  const after = await usage()
  const measured = latencies.length
  return {
    perSecond: (measured * 1_000) / elapsedMs,
    ...percentiles(latencies),
    cpuMs: (after.cpuMs - before.cpuMs) / measured,
    flushes: (after.commits - before.commits) / measured,
  }
}

export type Percentiles = Pick<Figures, 'p50' | 'p99' | 'p999'>

export function percentiles(latencies: readonly number[]): Percentiles {
  const sorted = latencies.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999) }
}
