/** The events that start a checked playbook. */

import type { CaseEvent } from '../domain/case.ts'
import type { RunEvent } from '../domain/run.ts'
import type { Program } from '../expression/index.ts'
import type { JsonSchema, ObservableKind } from '../plugin/index.ts'

/** The events that start a playbook; undefined: none of the kind. */
export interface EventTriggers {
  readonly caseTrigger?: CaseTrigger | undefined
  readonly entityTrigger?: EntityTrigger | undefined
  readonly webhookTrigger?: WebhookTrigger | undefined
  readonly questionTrigger?: QuestionTrigger | undefined
  readonly runTrigger?: EndedRunTrigger | undefined
}

/** Starts a run for changes of cases. */
interface CaseTrigger {
  readonly events: readonly CaseEvent[]
  /** Sees `trigger` and `organization`. */
  readonly where: Program | undefined
}

/** Starts a run for an observable that alerts contain repeatedly. */
interface EntityTrigger {
  readonly kinds: readonly ObservableKind[]
  /** Gives the value from `alert` and `organization`. Undefined: the observables of the alert. */
  readonly value: Program | undefined
  /** Number of alerts. */
  readonly times: number
  readonly withinMs: number
  readonly where: Program | undefined
}

/** Starts a run for a request. */
interface WebhookTrigger {
  /** Schema of the body; undefined: any JSON. */
  readonly body: JsonSchema | undefined
  readonly where: Program | undefined
}

/** Starts a run for a question that waits for an answer. */
interface QuestionTrigger {
  /** How long it has waited; 0: it was just asked. */
  readonly afterMs: number
  readonly where: Program | undefined
}

/** Starts a run for runs that fail or need a decision. */
interface EndedRunTrigger {
  readonly events: readonly RunEvent[]
  readonly where: Program | undefined
}
