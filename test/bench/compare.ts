import { bestOf, cells, figureTitles, type Figures } from './measure.ts'
import type { History } from './history.ts'
import { printTable } from './print-table.ts'

/** A subject to measure; returns its figures. */
export type Way = (count: number, seconds: number) => Promise<Figures>

export interface Comparison {
  readonly title: string
  /** Subjects by name, in display order. */
  readonly ways: Readonly<Record<string, Way>>
  /** The baseline of the last subject. */
  readonly baseline: string
  readonly seconds: number
  readonly rounds: number
  readonly connections: readonly number[]
  readonly history: History
}

/**
 * Measures each subject at each number of connections, in turns, and prints a table with the ratio of the
 * last one to the baseline.
 */
export async function compare({
  title,
  ways,
  baseline,
  seconds,
  rounds,
  connections,
  history,
}: Comparison): Promise<void> {
  const names = Object.keys(ways)
  const last = names.at(-1) ?? ''
  const rows: string[][] = []
  for (const count of connections) {
    for (const way of Object.values(ways)) await way(count, Math.min(1, seconds))
    const best = await bestOf(
      rounds,
      Object.fromEntries(Object.entries(ways).map(([name, way]) => [name, () => way(count, seconds)])),
    )
    const ratio = (figure: 'perSecond' | 'cpuMs') =>
      (best[last]?.[figure] ?? 0) / (best[baseline]?.[figure] ?? 0)
    history.add(title, count, best[last]!, best[baseline]!)
    for (const name of names) {
      const ratios = name === last ? [ratio('perSecond').toFixed(2), (1 / ratio('cpuMs')).toFixed(2)] : []
      rows.push([name, String(count), ...cells(best[name]!), ...ratios])
    }
  }
  printTable(title, ['', 'at once', ...figureTitles, `ratio to ${baseline}`, 'by CPU'], rows)
  const compared = history.compare(title)
  if (compared !== undefined) printTable(`${title}: by CPU, medians of commits`, ...compared)
}
