import type { Alert } from '../../core/domain/alert.ts'

/** What the API needs of `core/investigation`. */
export interface Investigations {
  /**
   * Has a stored alert with a type investigated. Returns at once and never throws: an alert that cannot be taken up now stays
   * Created and is taken up later.
   */
  submit(alert: Alert): void
  /** False while the queue is full: alerts with a type are then refused with 503 and `Retry-After`. Absent: never full. */
  accepting?(): boolean
  /** Resolves when the alert's investigation has ended, or after `ms`. Absent: `Prefer: wait` is not applied. */
  wait?(alertId: string, ms: number): Promise<void>
}
