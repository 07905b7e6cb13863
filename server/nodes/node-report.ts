import type { Runner } from '../../core/engine/turns/runner-types.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Log } from '../../core/ports/log.ts'
import type { NodeReport } from '../../core/ports/nodes/node-store.ts'
import type { Cluster } from './cluster.ts'

export interface NodeReporterOptions {
  /** Runs that have their turn, and due runs that wait for one. */
  readonly load: () => { readonly active: number; readonly queued: number }
  /** Active runs by organization. */
  readonly working: () => ReadonlyMap<string, number>
  readonly suspects: () => number
  readonly lastError: () => NodeReport['lastError']
  readonly isDraining: () => boolean
  readonly rates: () => NodeReport['rates']
  readonly folder: () => NodeReport['folder']
  readonly settings: NodeReport['settings']
}

/** How long a report is good: over a shorter time, the use of the processor says little. */
const keptMs = 1_000
/** Most organizations that a node tells the others of. */
const maxTold = 100

/** Composes what this process tells of itself; the use of the processor is that since the report before. */
export function createNodeReporter(options: NodeReporterOptions): () => NodeReport {
  const { load, working, suspects, lastError, isDraining, rates, folder, settings } = options
  let before = { cpu: { user: 0, system: 0 }, at: 0 }
  let cpuPercent = 0
  return () => {
    const now = performance.now()
    if (now - before.at >= keptMs) {
      const { user, system } = process.cpuUsage(before.cpu)
      // Microseconds in milliseconds, as percent.
      cpuPercent = Math.round((user + system) / 10 / (now - before.at))
      before = { cpu: process.cpuUsage(), at: now }
    }
    const { active, queued } = load()
    return {
      role: isDraining() ? 'draining' : 'active',
      runs: active,
      queued,
      cpuPercent,
      memoryBytes: process.memoryUsage.rss(),
      lastError: lastError(),
      working: Object.fromEntries([...working()].toSorted(([, a], [, b]) => b - a).slice(0, maxTold)),
      suspects: suspects(),
      rates: rates(),
      folder: folder(),
      settings,
    }
  }
}

/** The runs of all nodes, for `GET engine`. What the others have told is about five seconds old. */
export const runsOfAll = (runner: Pick<Runner, 'shareOf' | 'suspects'>, others: Cluster['others']) => ({
  /** Active runs of an organization, and their limit, which is the same on each node. */
  shareOf(organizationUuid: string) {
    const { working, most } = runner.shareOf(organizationUuid)
    const told = others()
    return {
      working: told.reduce((sum, each) => sum + (each.working?.[organizationUuid] ?? 0), working),
      most: most * (told.length + 1),
    }
  },
  /** Runs watched after crashes. */
  suspects: () => others().reduce((sum, { suspects = 0 }) => sum + suspects, runner.suspects()),
})

/** A log that remembers its newest error, without fields: they may contain values of an organization. */
export function rememberError<L extends Log>(log: L, clock: Pick<Clock, 'now'>) {
  let last: NodeReport['lastError'] = null
  return {
    log: {
      ...log,
      error(...[fields, message]: Parameters<Log['error']>) {
        last = { at: clock.now(), message }
        log.error(fields, message)
      },
    },
    lastError: () => last,
  }
}
