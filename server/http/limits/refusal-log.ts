import type { Log, LogFields } from '../../../core/ports/log.ts'

/** Interval between two lines of the same kind, in milliseconds. */
const windowMs = 10_000

/** Maximum number of kinds with their own count; further kinds share one. */
const maxKinds = 100

/** Records a refusal; refusals with the same `kind` are counted together. */
export type RecordRefusal = (kind: string, fields: LogFields) => void

/**
 * Logs refusals that can be very frequent, e.g. on a full disk: the first one immediately, those of the next
 * ten seconds as a count, so that they do not flood the log.
 */
export function createRefusalLog(log: Log, what: string, level: 'info' | 'warn' = 'warn'): RecordRefusal {
  const counts = new Map<string, number>()
  return (given, all) => {
    const isApart = counts.has(given) || counts.size < maxKinds
    const [kind, fields] = isApart ? [given, all] : ['', { reason: 'several' }]
    const count = counts.get(kind)
    if (count !== undefined) {
      counts.set(kind, count + 1)
      return
    }
    counts.set(kind, 0)
    log[level](fields, what)
    setTimeout(() => {
      const more = counts.get(kind) ?? 0
      counts.delete(kind)
      const { error: _, request_id: __, ...same } = fields
      if (more > 0) log[level]({ ...same, count: more }, `${what}, again in the last 10 seconds`)
    }, windowMs).unref()
  }
}
