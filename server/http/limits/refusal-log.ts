import type { Log, LogFields } from '../../../core/ports/log.ts'

/** Between two lines about the same, in milliseconds. */
const windowMs = 10_000

/** Told apart at a time; those of further kinds are counted together. */
const maxKinds = 100

/** Tells the log about one more refusal; those with the same `kind` are counted together. */
export type RecordRefusal = (kind: string, fields: LogFields) => void

/**
 * Refusals of which there can be very many, e.g. because the disk is full: the first one is logged at once, those of the next
 * ten seconds with their number, so that a flood of them does not become one of the log.
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
