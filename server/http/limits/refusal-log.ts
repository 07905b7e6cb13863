import type { Log, LogFields } from '../../../core/ports/log.ts'
import { repeatedForMs } from '../../repeated-lines.ts'

/** Maximum number of kinds with their own count; further kinds share one. */
const maxKinds = 100

/** Records a refusal; refusals with the same `kind` are counted together. */
export type RecordRefusal = (kind: string, fields: LogFields) => void

/**
 * Logs refusals that can be very frequent, e.g. on a full disk: the first one immediately, those of the next
 * ten seconds, or minute if the store is unavailable, as a count, so that they do not flood the log.
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
    const windowMs = repeatedForMs(fields)
    setTimeout(() => {
      const more = counts.get(kind) ?? 0
      counts.delete(kind)
      const { error: _, request_id: __, ...same } = fields
      if (more > 0)
        log[level]({ ...same, count: more }, `${what}, again in the last ${windowMs / 1_000} seconds`)
    }, windowMs).unref()
  }
}
