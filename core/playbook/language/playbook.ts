/**
 * A checked playbook: what the YAML says, with defaults filled in and every expression compiled. The interpreter walks this
 * tree; the step graph for drawing is derived from it (`step-graph.ts`).
 */

import type { StepMasks } from '../../domain/mask.ts'
import type { Program, Type } from '../../expression/index.ts'
import type { JsonSchema } from '../../plugin/index.ts'

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
  /** Alerts it investigates; undefined for a playbook that is started in another way only. */
  readonly alertTrigger: AlertTrigger | undefined
  /** Whether people may start it, and other playbooks call it. */
  readonly startedBy: { readonly hand: boolean; readonly call: boolean }
  readonly schedule: Schedule | undefined
  /** What it is given besides an alert, by name. See `resolveInputs`. */
  readonly inputs: Inputs
  /** What the content of its alerts is declared to be; a run with other content fails before its first step. */
  readonly alertSchema: JsonSchema | undefined
  readonly concurrency: Concurrency | undefined
  /** Of the whole run. Default 24 h. */
  readonly timeoutMs: number
  readonly steps: readonly Step[]
  /** Run when a step failed and nothing else handled it; the run fails nevertheless, unless they `return`. */
  readonly onError: readonly Step[]
  /** Run after the steps, whatever their end. */
  readonly finally: readonly Step[]
  /** The run's output; evaluated at the end of a completed run. */
  readonly outputs: Template | undefined
  /** Of the output of a completed run, by `outputs` and by every `return`. */
  readonly outputType: Type
  /** Names of the playbooks that it calls. */
  readonly calls: readonly string[]
}

/** By name. */
export type Inputs = ReadonlyMap<string, Input>

export interface Input {
  /** As JSON Schema: times and durations are text with a format. */
  readonly schema: JsonSchema
  readonly type: Type
  /** Undefined: it has to be given. */
  readonly default: { readonly value: unknown } | undefined
  /** Values derived from it are kept out of messages, logs and answers of the API. */
  readonly sensitive: boolean
  readonly description: string | undefined
}

/** Starts runs at times, in UTC. */
export interface Schedule {
  /** Five fields, or six with seconds first. */
  readonly cron: string
  /** Codes; undefined: a run for every organization. */
  readonly organizations: readonly string[] | undefined
  readonly inputs: Readonly<Record<string, unknown>>
  /** Whether a run starts although the one before has not ended. Default false: it is left out. */
  readonly overlap: boolean
}

/** At most one run of a key at a time. */
export interface Concurrency {
  /** Evaluated when a run is queued, from `alert`, `inputs` and `organization`. */
  readonly key: Template
  /** What becomes of a run while another one of its key has not ended: it waits, or is cancelled. */
  readonly policy: 'queue' | 'drop'
}

export interface AlertTrigger {
  readonly type: string
  readonly provider: string | undefined
  readonly where: Program | undefined
  /** What makes an alert the repeat of an earlier one; `never`: nothing. Undefined: having the same content. */
  readonly group: Grouping | 'never' | undefined
}

/** Alerts are repeats that agree in all of these. */
export interface Grouping {
  /** Each reads the alert. */
  readonly by: readonly Program[]
  /** How long after the first one; undefined: as the server is configured. */
  readonly withinMs: number | undefined
}

/** What every step has. */
interface StepBase {
  /** Set by the author; null for a step that nothing refers to. */
  readonly id: string | null
  /** The id, or the step's place among its siblings (`2`): unique among them, the part of the journal's path. */
  readonly key: string
  readonly name: string | undefined
  /** Undefined: nothing is sensitive. */
  readonly sensitive?: StepMasks | undefined
  readonly if: Program | undefined
  /** Of one attempt for `uses`, of the whole for groups. Default 60 s for `uses`, none for groups. */
  readonly timeoutMs: number | undefined
  readonly onError: 'fail' | 'continue' | readonly Step[]
  /** Output when skipped, or when a failure was handled. */
  readonly default: Template | undefined
  readonly foreach: Foreach | undefined
  /** Of `uses` and `steps`. */
  readonly repeat?: Repeat | undefined
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

/** Again and again, until a condition holds. */
export interface Repeat {
  /** Sees the `output` of the last time, or the steps inside. */
  readonly until: Program
  /** Wait between two times. */
  readonly everyMs: number
  /** How often at most; the step then fails. */
  readonly max: number
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
  /** How far each wait is spread, as a fraction of it: 0.2 is ±20 %. Default 0.2. */
  readonly jitter: number
  /** Codes of the errors that are retried, `http_5xx` for all of 500 to 599; undefined: all that pass. Others never are. */
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
  /** When the process stopped during a call; undefined: as the skill declares. */
  readonly onInterrupted?: OnInterrupted | undefined
}

export type OnInterrupted = 'repeat' | 'skip' | 'fail' | 'ask'

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

/** Asks a person and waits for the answer. */
export interface CheckpointStep extends StepBase {
  readonly action: 'checkpoint'
  /** A skill that asks, or `operator`: nobody is told, somebody answers over the API. */
  readonly via: string
  readonly with: Template
  readonly connection: string | undefined
  /** What may be answered: one of these words, or a form to fill in. */
  readonly choices: { readonly answers: readonly string[] } | { readonly form: JsonSchema }
  /** How long to wait for an answer. */
  readonly answerWithinMs: Template
  /** The answer that stands for none in time; undefined: the step fails. */
  readonly onTimeout: { readonly answer: unknown } | undefined
}

/** Runs another playbook as a part of this run. */
export interface CallStep extends StepBase {
  readonly action: 'call'
  /** Its name; the version is the newest one when the run first calls it. */
  readonly playbook: string
  readonly with: Template
}

export type Step =
  | CheckpointStep
  | CallStep
  | UsesStep
  | SetStep
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
