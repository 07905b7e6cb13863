import type { AuditAction } from '../../../core/domain/audit.ts'
import type { AuditStore } from '../../../core/ports/audit-store.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Caller } from './caller.ts'
/** Views of credentials and their age. */
export type ViewAction = Extract<AuditAction, 'accounts.viewed' | 'keys.viewed' | 'connections.viewed'>

export type RecordView = (caller: Caller, action: ViewAction) => Promise<void>

/** Views of one kind by one key and session within this time are recorded once. */
const windowMs = 3_600_000
/** Remembered views; beyond this, the oldest is recorded again. */
const maxRemembered = 10_000

/**
 * Records in the audit log who views lists of credentials (secrets are never shown). Only the first view per
 * hour: the page reloads these lists all the time.
 */
export function createViewAudit(audit: Pick<AuditStore, 'record'>, clock: Pick<Clock, 'now'>): RecordView {
  const recordedAt = new Map<string, number>()
  return async ({ actor, session, scope }, action) => {
    const now = clock.now()
    const place = [actor.id, session?.uuid ?? '', action].join(' ')
    const before = recordedAt.get(place)
    if (before !== undefined && Math.abs(now - before) < windowMs) return
    recordedAt.delete(place)
    recordedAt.set(place, now)
    const [oldest] = recordedAt.keys()
    if (recordedAt.size > maxRemembered && oldest !== undefined) recordedAt.delete(oldest)
    const only = scope !== 'all' && scope.length === 1 ? scope[0] : undefined
    try {
      const name = action.split('.', 1)[0] ?? ''
      await audit.record({
        action,
        by: actor,
        organizationUuid: only ?? null,
        subject: { kind: 'data', id: name, name },
        details: { session: session !== undefined },
      })
    } catch (error) {
      recordedAt.delete(place)
      throw error
    }
  }
}
