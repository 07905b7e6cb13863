import type { Clock } from '../../core/ports/clock.ts'
import type { Log } from '../../core/ports/log.ts'
import type { NodeReport } from '../../core/ports/nodes/node-store.ts'

export interface NodeReporterOptions {
  /** Runs that have their turn, and due runs that wait for one. */
  readonly load: () => { readonly active: number; readonly queued: number }
  readonly lastError: () => NodeReport['lastError']
  readonly isDraining: () => boolean
  readonly rates: () => NodeReport['rates']
  readonly folder: () => NodeReport['folder']
}

/** How long a report is good: over a shorter time, the use of the processor says little. */
const keptMs = 1_000

/** Composes what this process tells of itself; the use of the processor is that since the report before. */
export function createNodeReporter(options: NodeReporterOptions): () => NodeReport {
  const { load, lastError, isDraining, rates, folder } = options
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
      rates: rates(),
      folder: folder(),
    }
  }
}

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
