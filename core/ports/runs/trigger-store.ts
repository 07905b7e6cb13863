import type { CaseEvent } from '../../domain/case.ts'
import type { NewRun, Run, RunEvent, RunTrigger } from '../../domain/run.ts'
import type { ObservableKind } from '../../plugin/index.ts'

/** The events that live playbooks wait for. All others are not noted. */
export interface WantedEvents {
  readonly caseEvents: ReadonlySet<CaseEvent>
  readonly runEvents: ReadonlySet<RunEvent>
  /** How long questions have waited when playbooks start, in milliseconds. */
  readonly questionDelays: ReadonlySet<number>
  /** Whether the observables of alerts are counted. */
  readonly entities: boolean
}

/** A noted event that is not settled: a change of a case, a stored alert, a question, or what happened to a run. */
export interface NotedEvent {
  readonly id: number
  readonly organizationUuid: string
  readonly subject:
    | { readonly kind: 'case'; readonly caseId: string; readonly trigger: RunTrigger }
    | { readonly kind: 'run'; readonly trigger: RunTrigger }
    /** Whether it still waits after this time. */
    | {
        readonly kind: 'question'
        readonly isWaiting: boolean
        readonly waitedMs: number
        readonly trigger: RunTrigger
      }
    /** Null: the alert was deleted. */
    | { readonly kind: 'alert'; readonly alertId: string | null; readonly at: number }
}

/** The outcome of an event. */
export interface EventOutcome {
  readonly runs: readonly NewRun[]
  /** For the timeline of the changed case. */
  readonly notes: readonly string[]
}

export interface CountedObservable {
  readonly kind: ObservableKind
  readonly value: string
}

/** The observables that a playbook counts in an alert, and its threshold. */
export interface EntityCount {
  readonly playbookName: string
  readonly observables: readonly CountedObservable[]
  readonly times: number
  readonly withinMs: number
}

/** An observable that has reached the count of a playbook. */
export interface ReachedCount extends CountedObservable {
  readonly playbookName: string
  /** Alerts in the window, and the time of the first of them. */
  readonly count: number
  readonly firstAt: number
  /** Ids of the newest of them, newest first. */
  readonly alerts: readonly string[]
}

export interface TriggerStore {
  /** From now on these events are noted in the write that causes them, and `onNoted` is called during that write. */
  watch(wanted: WantedEvents, onNoted: () => void): void
  /** The oldest events of all organizations except these (uuids). A question is one when its time has come. */
  pending(limit: number, except: readonly string[]): Promise<readonly NotedEvent[]>
  /** Ends an event and queues its runs in one write. Undefined: it was ended before. */
  settle(event: NotedEvent, outcome: EventOutcome): Promise<readonly Run[] | undefined>
  /**
   * Counts the observables of an alert, and does what `settle` does, in one write. An observable counts once for each alert.
   *
   * @param outcome for the counts that the alert reaches; it must not throw
   */
  settleAlert(
    event: NotedEvent,
    counts: readonly EntityCount[],
    outcome: (reached: readonly ReachedCount[]) => EventOutcome,
  ): Promise<readonly Run[] | undefined>
  /** When the next question that has not waited long enough is an event (epoch milliseconds); undefined: there is none. */
  nextQuestionAt(): Promise<number | undefined>
  /** Number of noted events that are not settled. */
  countPending(): Promise<number>
}
