import { table } from '../../cli/output/table.ts'
import { startWholeWay } from './whole-way.ts'

/** Where the time of one alert goes, from its post through five calls to its case. */
export async function benchParts({ seconds }: { seconds: number }): Promise<void> {
  const way = await startWholeWay()
  try {
    await way.load(32, seconds)
    await way.tocsin.ask('profile')
    const { perSecond } = await way.loadOurs(32, Math.max(seconds, 4))
    const { idle: _, ...parts } = await way.tocsin.ask('end profile')
    const alerts = perSecond * Math.max(seconds, 4)
    const all = Object.values(parts).reduce((sum, ms) => sum + ms, 0)
    const rows = Object.entries(parts)
      .toSorted(([, a], [, b]) => b - a)
      .map(([part, ms]) => [part, ((ms * 1_000) / alerts).toFixed(0), `${((100 * ms) / all).toFixed(0)} %`])
    console.log(
      '\nProfile: the time of one alert on the main thread, whole way, at 32 connections; sampling adds to it\n',
    )
    console.log(table(['PART', 'MICROSECONDS', 'SHARE'], rows))
  } finally {
    await way.stop()
  }
}
