/** The parts of steps that wait for several people or for an event. `Value` is a YAML value with expressions (`Template`). */

import type { CaseEvent } from '../../domain/case.ts'
import type { Program } from '../../expression/index.ts'
import type { JsonSchema } from '../../plugin/index.ts'

/** Several people are asked one question each. `with` sees each as `person`. */
export interface AskedPeople<Value> {
  /** A list, or one person. */
  readonly ask: Value
  /** Further people, each asked after a time without a decision. */
  readonly escalate: readonly { readonly afterMs: number; readonly ask: Value }[]
  /** How many people must give the same answer. `all` and `majority` are of the people in `ask`. */
  readonly quorum: number | QuorumWord
  /** Answers that decide alone. */
  readonly veto: readonly string[]
}

export type QuorumWord = 'all' | 'majority' | 'any'

/** An alert of the organization, or a change of a case. */
export interface AwaitedEvent<Value> {
  readonly event: {
    readonly of: AlertOfWait<Value> | CaseOfWait<Value>
    /** Sees `event`; undefined: every event matches. */
    readonly where: Program | undefined
    /** Of the content; an alert with other content does not match. */
    readonly schema: JsonSchema | undefined
    /** Whether earlier events count, since the alert or the start of the run. */
    readonly sinceRun: boolean
    readonly withinMs: Value
    /** After the timeout; else the step fails. */
    readonly continues: boolean
  }
}

export interface AlertOfWait<Value> {
  readonly kind: 'alert'
  /** A type or a list; undefined: any. */
  readonly type: Value | undefined
  /** Code of a provider; undefined: any. */
  readonly provider: Value | undefined
}

export interface CaseOfWait<Value> {
  readonly kind: 'case'
  /** The id of a case, or `any`; undefined: the case of the run. */
  readonly id: Value | undefined
  /** Undefined: every change. */
  readonly events: readonly CaseEvent[] | undefined
}

/** The `id` of a wait for changes of any case. */
export const anyCase = 'any'
