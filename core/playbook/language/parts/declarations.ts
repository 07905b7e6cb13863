/** The declarations of a playbook above its steps: triggers and inputs. */

import type { Program, Type } from '../../../expression/index.ts'
import type { JsonSchema } from '../../../plugin/index.ts'
import type { CronTimes } from '../../../trigger/schedule.ts'

/** By name. */
export type Inputs = ReadonlyMap<string, Input>

export interface Input {
  /** JSON Schema; times and durations are strings with a format. */
  readonly schema: JsonSchema
  readonly type: Type
  /** Undefined: the input is required. */
  readonly default: { readonly value: unknown } | undefined
  /** Values derived from it are kept out of messages, logs and API responses. */
  readonly sensitive: boolean
  readonly description: string | undefined
}

/** Starts runs at times. */
export interface Schedule extends CronTimes {
  /** Codes; undefined: a run for every organization. */
  readonly organizations: readonly string[] | undefined
  readonly inputs: Readonly<Record<string, unknown>>
  /** Whether a run starts while the previous one is still active. Default false: it is skipped. */
  readonly overlap: boolean
}

export interface AlertTrigger {
  /** Undefined: alerts of all types. */
  readonly types: readonly string[] | undefined
  /** Codes. Undefined: alerts of all providers. */
  readonly providers: readonly string[] | undefined
  readonly where: Program | undefined
  /** How repeats are recognized. Undefined: by identical content. */
  readonly group: Grouping | 'never' | undefined
  /** Which alerts share a case; the first rule that matches decides. Undefined: each alert has its own case. */
  readonly correlate?: readonly Correlation[] | undefined
}

/** Alerts of any playbook with the same names and values share a case. */
export interface Correlation {
  /** Expressions over the alert by name, sorted by name. */
  readonly by: readonly (readonly [name: string, program: Program])[]
  readonly withinMs: number
  readonly max: number
}

/** An alert with the same values as an earlier one is its repeat. */
export interface Grouping {
  /** Expressions over the alert. */
  readonly by: readonly Program[]
  /** Time window after the first alert; undefined: the server's default. */
  readonly withinMs: number | undefined
}
