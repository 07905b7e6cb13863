import type { Usage } from './answer-parent.ts'

/** What a measurement gave. */
export interface Figures {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly p999: number
  /** Milliseconds of CPU for each, of the process that is measured. */
  readonly cpuMs: number
  /** Waits for the disk for each. */
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
 * Measures several things in turns, so many rounds, and gives the best round of each: what else the machine does harms all alike, and
 * the round that it harmed least says most.
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

/** Does `one` again and again in `count` closed loops, for this long, and says how that went. */
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
