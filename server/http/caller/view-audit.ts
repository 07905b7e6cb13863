import type { AuditAction } from '../../../core/domain/audit.ts'
import type { AuditStore } from '../../../core/ports/audit-store.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Caller } from './caller.ts'
/** What shows who holds which credentials, and how old they are. */
export type ViewAction = Extract<AuditAction, 'keys.viewed' | 'connections.viewed'>

export type RecordView = (caller: Caller, action: ViewAction) => Promise<void>

/** Of the same key and session, views of one kind closer together than this are recorded once. */
const windowMs = 3_600_000
/** That are remembered; of more, the oldest is forgotten, and then recorded again. */
const maxRemembered = 10_000

/**
 * Views of credentials in the audit log, without their secrets, which nothing shows. A page loads these lists again and again: the first view in an
 * hour says that somebody looks, and more of them would drown what else is there.
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
