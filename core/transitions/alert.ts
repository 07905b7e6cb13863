import {
  alertStatus,
  alertStatusNames,
  mayMove,
  notInvestigated,
  type Alert,
  type AlertFacts,
  type AlertStatus,
  type NewAlert,
} from '../domain/alert.ts'
import type { NewRun, RunEnd } from '../domain/run.ts'
import { ConflictError } from '../errors/errors.ts'

/** The fields that determine whether a transition is allowed. */
export type AlertState = Pick<Alert, 'id' | 'status' | 'retryCount' | 'investigator'>

/** New values of fields; absent fields stay as they are. */
export interface AlertChanges extends Partial<
  Pick<Alert, 'status' | 'retryCount' | 'investigator' | 'completedAt' | 'modifiedAt' | 'groupedBecause'>
> {
  /** Null: the alert follows no other alert from now on. */
  readonly follows?: null
}

type EndedStatus = Extract<AlertStatus, 15 | 20>

/** Statuses in which an investigation has ended. */
export const endedAlertStatuses: readonly EndedStatus[] = [alertStatus.completed, alertStatus.failed]
/** Status of an alert that follows another alert. */
export const followingStatus = alertStatus.submitted
/** Status of an alert whose investigation has not been queued. */
export const awaitingStatus = notInvestigated.status

/** The fields of an alert before its investigation. */
export type Intake = NewAlert &
  Partial<AlertFacts> &
  Pick<Alert, 'id' | 'uuid' | 'organizationCode' | 'createdAt'>

export const receivedAlert = (given: Intake): Alert => ({
  ...notInvestigated,
  ...given,
  modifiedAt: given.createdAt,
})

/**
 * Queues an investigation. Only a retry may leave a final status, so that two requests never investigate an
 * alert twice.
 */
export function submitAlert(
  alert: AlertState,
  { retry = false, playbookName }: Pick<NewRun, 'retry' | 'playbookName'>,
  now: number,
): AlertChanges {
  const changes = moved(alert, alertStatus.submitted, now)
  const isFirst = alert.status === awaitingStatus
  if (isFirst === retry) throw moveForbidden(alert.status, alertStatus.submitted)
  return {
    ...changes,
    investigator: playbookName,
    completedAt: null,
    ...(retry && { retryCount: alert.retryCount + 1, follows: null }),
  }
}

export const beginAlert = (alert: AlertState, now: number): AlertChanges =>
  moved(alert, alertStatus.inProgress, now)

/** Ends an alert with its run. A run that is cancelled before it starts takes its alert through InProgress. */
export function endAlert(
  alert: AlertState,
  status: RunEnd['status'],
  now: number,
): AlertChanges & { readonly status: EndedStatus } {
  const goal = status === 'completed' ? alertStatus.completed : alertStatus.failed
  const last =
    alert.status === alertStatus.submitted
      ? { ...alert, ...moved(alert, alertStatus.inProgress, now) }
      : alert
  return { ...moved(last, goal, now), status: goal, completedAt: now }
}

/**
 * Ends the alerts that follow an alert whose investigation has ended: those that wait for it, and on success
 * those that failed with it before. After a failure they keep following it, because a retry may succeed.
 */
export function endFollowers(
  status: EndedStatus,
  now: number,
): { readonly from: readonly AlertStatus[]; readonly changes: AlertChanges } {
  const changes = { status, completedAt: now, modifiedAt: now }
  return status === alertStatus.completed
    ? { from: [followingStatus, alertStatus.failed], changes: { ...changes, follows: null } }
    : { from: [followingStatus], changes }
}

/** Makes an alert a repeat of `first`: it follows it, or has ended with it already. */
export function joinAlert(
  alert: AlertState,
  first: AlertState,
  reason: string,
  now: number,
): { readonly isOver: boolean; readonly changes: AlertChanges } {
  const submitted = moved(alert, followingStatus, now)
  const isOver = first.status === alertStatus.completed
  const changes = {
    ...submitted,
    status: isOver ? alertStatus.completed : followingStatus,
    investigator: first.investigator,
    completedAt: isOver ? now : null,
    groupedBecause: reason,
  }
  return { isOver, changes }
}

/** Throws ConflictError `alert_move_forbidden` for a move that `alertStatusMoves` does not allow. */
function moved({ status }: Pick<AlertState, 'status'>, to: AlertStatus, now: number): AlertChanges {
  if (!mayMove(status, to)) throw moveForbidden(status, to)
  return { status: to, modifiedAt: now }
}

function moveForbidden(from: AlertStatus, to: AlertStatus): ConflictError {
  const message = `the alert is ${alertStatusNames[from]}, and cannot become ${alertStatusNames[to]}`
  return new ConflictError('alert_move_forbidden', message, {
    hint: 'Wait until its investigation has ended.',
    details: { from, to },
  })
}
