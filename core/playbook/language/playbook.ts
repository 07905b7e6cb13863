/**
 * A checked playbook, with defaults filled in and expressions compiled. The interpreter walks this tree;
 * `step-graph.ts` derives the graph for drawing from it.
 */

import type { Mask, StepMasks } from '../../domain/mask.ts'
import type { Program, Type } from '../../expression/index.ts'
import type { JsonSchema, RateLimit } from '../../plugin/index.ts'
import type { AskedPeople, AwaitedEvent } from '../waits/waits.ts'
import type { AlertTrigger, Inputs, Schedule } from './parts/declarations.ts'
import type { EventTriggers } from '../../trigger/triggers.ts'
import type { PlaybookState, StateOperation } from '../../state/state.ts'

export type { AlertTrigger, Correlation, Grouping, Input, Inputs, Schedule } from './parts/declarations.ts'

export interface Playbook extends EventTriggers {
  /** Lower-case letters, digits and hyphens. */
  readonly name: string
  /** A label; identity is `hash`. */
  readonly version: string | undefined
  readonly description: string
  /** Code of the organization that it belongs to, as written; undefined: all organizations share it. */
  readonly organization?: string | undefined
  readonly owner?: string | undefined
  readonly tags?: readonly string[]
  /** Undefined: it is live. */
  readonly shadow?: Shadow | undefined
  /** SHA-256 of the source, hex. */
  readonly hash: string
  readonly source: string
  /** Undefined if no alerts start it. */
  readonly alertTrigger: AlertTrigger | undefined
  /** Whether people may start it, and whether other playbooks may call it. */
  readonly startedBy: { readonly hand: boolean; readonly call: boolean }
  readonly schedule: Schedule | undefined
  /** Inputs besides the alert, by name. See `resolveInputs`. */
  readonly inputs: Inputs
  readonly state: PlaybookState
  /** The schema of the alert content; a run with other content fails before its first step. */
  readonly alertSchema: JsonSchema | undefined
  readonly concurrency: Concurrency | undefined
  readonly rate?: PlaybookRate | undefined
  /** Of the whole run. Default 24 h. */
  readonly timeoutMs: number
  readonly steps: readonly Step[]
  /** Run after an unhandled failure; the run still fails, unless they `return`. */
  readonly onError: readonly Step[]
  /** Run after every end. */
  readonly finally: readonly Step[]
  /** The run's output; evaluated at the end of a completed run. */
  readonly outputs: Template | undefined
  /** Type of the output of a completed run, from `outputs` and every `return`. */
  readonly outputType: Type
  readonly masks: PlaybookMasks
  /** Names of the playbooks that it calls. */
  readonly calls: readonly string[]
}

/** A playbook that is judged on alerts that others investigate, and never started. */
export interface Shadow {
  /** The live playbook on whose alerts it is judged; undefined: on all that match its own trigger. */
  readonly beside: string | undefined
}

/** The sensitive parts of the values that enter and leave a playbook; undefined: nothing is sensitive. */
export interface PlaybookMasks {
  /** Of the resolved inputs. */
  readonly inputs: Mask | undefined
  /** Of the alert content. */
  readonly alert: Mask | undefined
  readonly output: Mask | undefined
  /** Of the trigger, see `RunTrigger`. */
  readonly trigger?: Mask | undefined
}

/** At most one run of a key at a time. */
export interface Concurrency {
  /** Evaluated when a run is queued, from `alert`, `inputs` and `organization`. */
  readonly key: Template
  /** Whether a run waits or is cancelled while another run of its key is active. */
  readonly policy: 'queue' | 'drop'
}

/** How often runs start, per organization. */
export interface PlaybookRate {
  readonly limit: RateLimit
  /** Runs with the same value are counted together; like the key of `concurrency`. Undefined: all of them. */
  readonly key: Template | undefined
  /** Whether a run beyond the limit waits or is cancelled. */
  readonly policy: 'queue' | 'drop'
}

/** How often a step starts, over all runs of the organization. */
export interface StepRate {
  readonly limit: RateLimit
  /** Evaluated before each start; starts with the same value are counted together. Undefined: all of them. */
  readonly key: Template | undefined
  /** Whether a start beyond the limit waits or fails. */
  readonly policy: 'wait' | 'fail'
}

/** What every step has. */
interface StepBase {
  /** Null if the author gave none. */
  readonly id: string | null
  /** The id, or the index among the siblings (`2`): unique among them, and a segment of the journal path. */
  readonly key: string
  readonly name: string | undefined
  /** Undefined: nothing is sensitive. */
  readonly sensitive?: StepMasks | undefined
  readonly if: Program | undefined
  /** Limit of one attempt for `uses`, of the whole for groups. Default 60 s for `uses`, none for groups. */
  readonly timeoutMs: number | undefined
  readonly onError: 'fail' | 'continue' | readonly Step[]
  /** Output if skipped, or if a failure was handled. */
  readonly default: Template | undefined
  readonly foreach: Foreach | undefined
  /** Steps with a rate have an id. */
  readonly rate?: StepRate | undefined
  /** Of `uses` and `steps`. */
  readonly repeat?: RepeatSettings | undefined
  /** Line and column, from 1, of the step in the source. */
  readonly place: SourcePlace
}

export interface SourcePlace {
  readonly line: number
  readonly column: number
}

export interface Foreach {
  readonly items: Template
  /** The name of the item in expressions. Default `item`. */
  readonly as: string
  /** Items at the same time. Default 1. */
  readonly concurrency: number
  /** More items than this fail the step. Default 100. */
  readonly maxItems: number
  /** Default `fail`. */
  readonly onItemError: 'fail' | 'continue'
}

/** Repeats a step until a condition is true. */
export interface RepeatSettings {
  /** Sees the `output` of the last round, or the steps inside. */
  readonly until: Program
  /** Wait between two rounds. */
  readonly everyMs: number
  /** Maximum number of rounds; then the step fails. */
  readonly max: number
}

export interface RetryPolicy {
  /** Attempts after the first. Default 3. */
  readonly max: number
  /** Wait before the second attempt. Default 2,000. */
  readonly backoffMs: number
  /** Multiplier for each further wait. Default 2. */
  readonly factor: number
  /** Default 300,000. */
  readonly maxBackoffMs: number
  /** Random spread of each wait, as a fraction: 0.2 is ±20 %. Default 0.2. */
  readonly jitter: number
  /** Codes of the transient errors to retry, `http_5xx` for 500 to 599; undefined: all of them. */
  readonly on: readonly string[] | undefined
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
  /** After the process stopped during a call; undefined: as the skill declares. */
  readonly onInterrupted?: OnInterrupted | undefined
  /** When its containment is undone; undefined: only people undo it. */
  readonly undo?: UndoSettings | undefined
}

export interface UndoSettings {
  /** Time after the call. */
  readonly afterMs: number
  /** Evaluated when the containment expires, see `undoNames`; undefined: it never stays. */
  readonly unless: Program | undefined
}

export type OnInterrupted = 'repeat' | 'skip' | 'fail' | 'ask'

/** Computes values. */
export interface SetStep extends StepBase {
  readonly action: 'set'
  readonly set: Template
}

/** Reads an entry of a state, or changes a state. */
export interface StateStep extends StepBase {
  readonly action: 'state'
  readonly operation: StateOperation
  readonly state: string
  /** Of the kinds with entries. */
  readonly stateKey: Template | undefined
  readonly value: Template | undefined
  /** The value that `set` replaces. */
  readonly expected: Template | undefined
  /** Default 1. */
  readonly by: Template | undefined
}

/** Steps in order. Like every group, it has an output if it declares one, evaluated after its steps. */
export interface GroupStep extends StepBase {
  readonly action: 'steps'
  readonly output?: Template | undefined
  readonly steps: readonly Step[]
}

/** Steps at the same time; waits for all, then fails if any failed. */
export interface ParallelStep extends StepBase {
  readonly action: 'parallel'
  readonly output?: Template | undefined
  readonly steps: readonly Step[]
  readonly concurrency: number
}

/** The first case whose condition is true. */
export interface SwitchStep extends StepBase {
  readonly action: 'switch'
  readonly output?: Template | undefined
  readonly cases: readonly { readonly when: Program; readonly steps: readonly Step[] }[]
  readonly else: readonly Step[]
}

/** Waits for a time or an event. */
export interface WaitStep extends StepBase {
  readonly action: 'wait'
  readonly wait: { readonly durationMs: Template } | { readonly until: Template } | AwaitedEvent<Template>
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

/** Asks a person and waits for the answer. */
export interface CheckpointStep extends StepBase {
  readonly action: 'checkpoint'
  /** A skill that asks, or `operator`: no message is sent, an operator answers in the web page or API. */
  readonly via: string
  readonly with: Template
  readonly connection: string | undefined
  /** The possible answers, or a form to fill in. */
  readonly choices: { readonly answers: readonly string[] } | { readonly form: JsonSchema }
  /** How long to wait for an answer. */
  readonly answerWithinMs: Template
  /** The answer to use after the timeout; undefined: the step fails. For a form of several people, it has no value. */
  readonly onTimeout: { readonly answer: unknown } | undefined
  /** Undefined: one person is asked. */
  readonly people?: AskedPeople<Template> | undefined
}

/** Runs another playbook as a part of this run. */
export interface CallStep extends StepBase {
  readonly action: 'call'
  /** Its name; the run uses the version that is live at its first call. */
  readonly playbook: string
  readonly with: Template
}

export type Step =
  | CheckpointStep
  | CallStep
  | UsesStep
  | SetStep
  | StateStep
  | GroupStep
  | ParallelStep
  | SwitchStep
  | WaitStep
  | ReturnStep
  | FailStep

/** A YAML value with expressions in it; evaluated by `evaluateTemplate`. */
export type Template =
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'expression'; readonly program: Program }
  | { readonly kind: 'text'; readonly parts: readonly (string | Program)[] }
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [key: string, value: Template])[] }
