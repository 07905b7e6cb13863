/**
 * A checked playbook: what the YAML says, with defaults filled in and every expression compiled. The interpreter walks this
 * tree; the step graph for drawing is derived from it (`step-graph.ts`).
 */

import type { Program } from '../expression/index.ts'

export interface Playbook {
  /** Lower-case letters, digits and hyphens. */
  readonly name: string
  /** A label; identity is `hash`. */
  readonly version: string | undefined
  readonly description: string
  readonly owner?: string | undefined
  readonly tags?: readonly string[]
  /** SHA-256 of the source, hex. */
  readonly hash: string
  readonly source: string
  /** Alerts it investigates; undefined for a playbook that is only started by hand. */
  readonly alertTrigger: AlertTrigger | undefined
  /** Of the whole run. Default 24 h. */
  readonly timeoutMs: number
  readonly steps: readonly Step[]
  /** Run after the steps, whatever their end. */
  readonly finally: readonly Step[]
  /** The run's output; evaluated at the end of a completed run. */
  readonly outputs: Template | undefined
}

export interface AlertTrigger {
  readonly type: string
  readonly provider: string | undefined
  readonly where: Program | undefined
}

/** What every step has. */
interface StepBase {
  /** Set by the author; null for a step that nothing refers to. */
  readonly id: string | null
  /** The id, or the step's place among its siblings (`2`): unique among them, the part of the journal's path. */
  readonly key: string
  readonly name: string | undefined
  readonly if: Program | undefined
  /** Of one attempt for `uses`, of the whole for groups. Default 60 s for `uses`, none for groups. */
  readonly timeoutMs: number | undefined
  readonly onError: 'fail' | 'continue' | readonly Step[]
  /** Output when skipped, or when a failure was handled. */
  readonly default: Template | undefined
  readonly foreach: Foreach | undefined
  /** Line and column, from 1, of the step in the source. */
  readonly place: Place
}

export interface Place {
  readonly line: number
  readonly column: number
}

export interface Foreach {
  readonly items: Template
  /** The name of the item in expressions. Default `item`. */
  readonly as: string
  /** How many at once. Default 1. */
  readonly concurrency: number
  /** More items than this fail the step. Default 100. */
  readonly maxItems: number
  /** Default `fail`. */
  readonly onItemError: 'fail' | 'continue'
}

export interface RetryPolicy {
  /** Further tries after the first. Default 3. */
  readonly max: number
  /** Before the first further try. Default 2,000. */
  readonly backoffMs: number
  /** What each further wait is multiplied with. Default 2. */
  readonly factor: number
  /** Default 300,000. */
  readonly maxBackoffMs: number
}

/** Calls a skill. */
export interface UsesStep extends StepBase {
  readonly action: 'uses'
  /** `<plugin>.<skill>`. */
  readonly skill: string
  readonly with: Template
  /** Name of the connection; undefined: the organization's only connection of that plugin. */
  readonly connection: string | undefined
  readonly retry: RetryPolicy
}

/** Computes values. */
export interface SetStep extends StepBase {
  readonly action: 'set'
  readonly set: Template
}

/** Steps in order. */
export interface GroupStep extends StepBase {
  readonly action: 'steps'
  readonly steps: readonly Step[]
}

/** Steps at once; waits for all, then fails if any failed. */
export interface ParallelStep extends StepBase {
  readonly action: 'parallel'
  readonly steps: readonly Step[]
  readonly concurrency: number
}

/** The first case whose condition holds. */
export interface SwitchStep extends StepBase {
  readonly action: 'switch'
  readonly cases: readonly { readonly when: Program; readonly steps: readonly Step[] }[]
  readonly else: readonly Step[]
}

/** Waits. */
export interface WaitStep extends StepBase {
  readonly action: 'wait'
  readonly wait: { readonly durationMs: Template } | { readonly until: Template }
}

/** Ends the run as completed with this output. */
export interface ReturnStep extends StepBase {
  readonly action: 'return'
  readonly return: Template
}

/** Ends the run as failed with this message. */
export interface FailStep extends StepBase {
  readonly action: 'fail'
  readonly message: Template
}

export type Step =
  UsesStep | SetStep | GroupStep | ParallelStep | SwitchStep | WaitStep | ReturnStep | FailStep

/** A YAML value with expressions in it; evaluated by `evaluateTemplate`. */
export type Template =
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'expression'; readonly program: Program }
  | { readonly kind: 'text'; readonly parts: readonly (string | Program)[] }
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [key: string, value: Template])[] }
