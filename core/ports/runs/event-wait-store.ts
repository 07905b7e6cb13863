import type { Alert } from '../../domain/alert.ts'
import type { CaseEvent } from '../../domain/case.ts'
import type { RunTrigger } from '../../domain/run.ts'
import type { RunKey } from './run-store.ts'

/** The events that a step waits for, in the run's organization. */
export type EventFilter = AwaitedAlerts | AwaitedChanges

export interface AwaitedAlerts {
  readonly kind: 'alert'
  /** Alert types; null: any. */
  readonly types: readonly string[] | null
  /** Code of a provider, ignoring case; null: any. */
  readonly provider: string | null
}

export interface AwaitedChanges {
  readonly kind: 'case'
  /** Ignoring case; null: any case. */
  readonly caseId: string | null
  /** Null: every change. */
  readonly events: readonly CaseEvent[] | null
}

export interface NewEventWait {
  readonly path: string
  readonly filter: EventFilter
  /** For alerts: whether those count that were stored since the alert of the run, or since its start; else from now on. */
  readonly sinceRun: boolean
}

/** Progress of a wait. */
export interface EventWait {
  /** Events that were examined. */
  readonly examined: number
  /** Of those, events for which the condition could not be evaluated. */
  readonly failed: number
  /** Message of the last such failure. */
  readonly lastFailure: string | null
  /** Number of consecutive reads without a matching event. */
  readonly misses: number
}

/** A stored alert, or a change of a case as the trigger of a playbook sees it. */
export type EventContent = { readonly alert: Alert } | { readonly change: RunTrigger }

export interface StoredEvent {
  /** In the order of storage. */
  readonly position: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly content: EventContent
  /** It was given for this wait and needs no match; default false. For dry runs. */
  readonly isGiven?: boolean
}

export interface NextEvents {
  readonly events: readonly StoredEvent[]
  /** Position of the last of them or, if there are no more, of the newest stored event. */
  readonly upTo: number
  readonly hasMore: boolean
}

/**
 * Waits of runs for events. A wait has a position among the stored events, so that none is missed while no process runs, and is
 * deleted with the end of its run.
 */
export interface EventWaitStore {
  /** Begins a wait; a second call for the path returns the existing one. */
  open(runUuid: string, wait: NewEventWait): Promise<EventWait>
  /** The oldest events after the position of the wait that fit its filter, without the run's own alert. */
  next(runUuid: string, path: string, limit: number): Promise<NextEvents>
  /** Moves the position, and adds the counts. */
  pass(runUuid: string, path: string, upTo: number, counts: EventWait): Promise<void>
  /**
   * From now on, the next event that fits the filter wakes the run, once. False if such an event was stored since the position.
   */
  arm(runUuid: string, path: string): Promise<boolean>
  /** Called, in the write of the event, for each run that an event wakes. */
  watch(onWoken: (run: RunKey) => void): void
}
