import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Way } from './compare.ts'
import type { Options } from './options.ts'
import { printTable } from './print-table.ts'
import { readWal, walPages, type WalPages } from './wal-pages.ts'
import { startWholeWay } from './whole-way.ts'

/** Kilobytes written per alert. */
interface Written {
  readonly alerts: number
  readonly commits: number
  readonly pages: WalPages
}

/**
 * Disk writes of one alert with five calls, by table and index, compared with a minimal program that stores
 * the same rows.
 */
export async function benchBytes({ connections, seconds }: Options): Promise<void> {
  for (const count of connections.filter((one) => one <= 32)) {
    const way = await startWholeWay()
    try {
      const ours = await written(join(way.folder, 'data', 'tocsin.db'), way.investigate, count, seconds)
      const least = await written(join(way.folder, 'least.db'), way.rowsOnly, count, seconds)
      const title = `Bytes: what an alert of five calls writes at ${count} at once, in KB of pages of 4 KB`
      printTable(
        title,
        ['', 'log', 'database', 'both', 'commits', 'alerts'],
        [
          ['the minimal program', ...totals(least)],
          ['Tocsin', ...totals(ours)],
        ],
      )
      printTable(
        `Bytes: pages that an alert writes at ${count} at once`,
        ['', 'log', 'database'],
        parts(ours),
      )
    } finally {
      await way.stop()
    }
  }
}

/**
 * An open read transaction keeps the log from being reused, so that all frames can be counted afterwards.
 * Checkpoint writes follow from the frames.
 */
async function written(path: string, way: Way, count: number, seconds: number): Promise<Written> {
  await way(count, Math.min(1, seconds))
  const reader = new Sqlite(path)
  try {
    reader.pragma('wal_checkpoint(TRUNCATE)')
    reader.exec('BEGIN')
    const before = alertsIn(reader)
    await way(count, seconds)
    const wal = readWal(`${path}-wal`)
    reader.exec('COMMIT')
    return {
      alerts: alertsIn(reader) - before,
      commits: wal.filter(({ isCommit }) => isCommit).length,
      pages: walPages(wal, reader),
    }
  } finally {
    reader.close()
  }
}

const alertsIn = (reader: Sqlite.Database): number =>
  (reader.prepare('SELECT count(*) AS count FROM alerts').get() as { count: number }).count

const pageKb = 4

function totals({ alerts, commits, pages }: Written): readonly string[] {
  const sum = (of: 'log' | 'database') =>
    ([...pages.values()].reduce((total, part) => total + part[of], 0) * pageKb) / alerts
  const [log, database] = [sum('log'), sum('database')]
  return [
    ...[log, database, log + database].map((kb) => kb.toFixed(0)),
    (commits / alerts).toFixed(2),
    String(alerts),
  ]
}

const parts = ({ alerts, pages }: Written): readonly (readonly string[])[] =>
  [...pages]
    .toSorted(([, a], [, b]) => b.log - a.log)
    .map(([name, { log, database }]) => [name, (log / alerts).toFixed(2), (database / alerts).toFixed(2)])
