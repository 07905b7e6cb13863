import type { Options } from './options.ts'
import { printTable } from './print-table.ts'
import { startWholeWay } from './whole-way.ts'

/** Time of each part of the way of one alert, from its POST through five calls to its case. */
export async function benchParts({ seconds }: Options): Promise<void> {
  const way = await startWholeWay()
  try {
    await way.investigate(32, seconds)
    await way.tocsin.ask('profile')
    const { perSecond } = await way.investigate(32, seconds)
    const { idle: _, measuring: __, ...parts } = await way.tocsin.ask('end profile')
    const all = Object.values(parts).reduce((sum, ms) => sum + ms, 0)
    const rows = Object.entries(parts)
      .toSorted(([, a], [, b]) => b - a)
      .map(([part, ms]) => [
        part,
        ((ms * 1_000) / (perSecond * seconds)).toFixed(0),
        `${((100 * ms) / all).toFixed(0)} %`,
      ])
    const title =
      'Profile: the time of one alert on the main thread, whole way, at 32 connections; sampling adds to it'
    printTable(title, ['part', 'microseconds', 'share'], rows)
  } finally {
    await way.stop()
  }
}
