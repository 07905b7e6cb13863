import type { Actor } from '../domain/audit.ts'
import type { Case, CaseEdit, CaseTargets } from '../domain/case.ts'

/**
 * The times of a case that targets compare. All are stored as points in time, so that a restart changes nothing. The clock of a
 * target starts when the case is opened, and runs at night and while a run waits. It stops while the case is closed.
 */
export interface CaseTimes extends Pick<Case, 'closedAt' | 'respondedAt' | 'respondDueAt' | 'resolveDueAt'> {
  /** How long the case was closed before it was reopened, in milliseconds. */
  readonly closedMs: number
}

interface Change {
  readonly by: Pick<Actor, 'kind'>
  /** Epoch milliseconds. */
  readonly now: number
  readonly targets: CaseTargets
}

/** The kinds of actors that count as people. */
const people: ReadonlySet<Actor['kind']> = new Set(['account', 'api_key', 'command', 'person'])
const isPerson = ({ kind }: Pick<Actor, 'kind'>): boolean => people.has(kind)

type Opened = Pick<Case, 'severity' | 'status'>

/** The times of a new case. A case that a person opens has had its response. */
export function openedTimes({ severity, status }: Opened, { by, now, targets }: Change): CaseTimes {
  return {
    closedAt: status === 'closed' ? now : null,
    respondedAt: isPerson(by) || status === 'closed' ? now : null,
    ...dueTimes(now, 0, severity, targets),
    closedMs: 0,
  }
}

/**
 * The times that a change of the case changes. A new severity has its own targets, which count from the opening of the case. A change
 * of the targets themselves is for cases that are opened or get another severity later.
 */
export function timesAfter(
  before: CaseTimes & Opened & Pick<Case, 'createdAt'>,
  edit: CaseEdit,
  { by, now, targets }: Change,
): Partial<CaseTimes> {
  const status = edit.status ?? before.status
  const isReopened = before.status === 'closed' && status !== 'closed'
  const isClosed = before.status !== 'closed' && status === 'closed'
  const pausedMs = isReopened ? now - (before.closedAt ?? now) : 0
  const closedMs = before.closedMs + pausedMs
  const severity = edit.severity ?? before.severity
  return {
    ...(before.respondedAt === null && (isPerson(by) || isClosed) && { respondedAt: now }),
    ...(isClosed && { closedAt: now }),
    ...(isReopened && {
      closedAt: null,
      closedMs,
      resolveDueAt: before.resolveDueAt === null ? null : before.resolveDueAt + pausedMs,
    }),
    ...(severity !== before.severity && dueTimes(before.createdAt, closedMs, severity, targets)),
  }
}

function dueTimes(
  createdAt: number,
  closedMs: number,
  severity: Case['severity'],
  targets: CaseTargets,
): Pick<Case, 'respondDueAt' | 'resolveDueAt'> {
  const { respondMs, resolveMs } = targets[severity] ?? {}
  return {
    respondDueAt: respondMs === undefined ? null : createdAt + respondMs,
    resolveDueAt: resolveMs === undefined ? null : createdAt + resolveMs + closedMs,
  }
}
