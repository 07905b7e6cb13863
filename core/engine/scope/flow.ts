import type { Author } from '../../domain/audit.ts'
import type { RunEnd, StoredError } from '../../domain/run.ts'
import type { WorkOutcome } from '../journal/durable-context.ts'

/** How a run ended. */
export interface RunOutcome extends RunEnd {
  /** Path of the `fail` step that ended it. */
  readonly failedAt?: string
}

/** The end of a step or a sequence of steps, as a value instead of an exception. */
export type Flow = StepEnd | RunEnds

/** Whether later steps run follows from `state`. */
export type StepEnd =
  | {
      readonly state: 'completed'
      readonly output: unknown
      readonly items?: readonly ItemView[] | undefined
      /** Who decided `ran_output_unknown`; the output is then undefined. */
      readonly outputUnknown?: Author | undefined
    }
  | { readonly state: 'skipped'; readonly output: unknown }
  /** Failed and not handled. */
  | Failed
  /** Failed, and its `on_error` lets the run continue. */
  | {
      readonly state: 'handled'
      readonly error: StoredError
      readonly output: unknown
      readonly items?: readonly ItemView[] | undefined
    }

export interface Failed {
  readonly state: 'failed'
  readonly error: StoredError
  /** Path of the step that failed. */
  readonly path: string
  readonly items?: readonly ItemView[] | undefined
}

/** Ends the whole run: `return`, `fail` or a cancellation. No `on_error` handles it. */
export interface RunEnds {
  readonly state: 'run_ends'
  readonly outcome: RunOutcome
}

/** One item of a `foreach`, for expressions. */
export interface ItemView {
  readonly index: number
  readonly status: 'completed' | 'failed' | 'skipped'
  readonly output?: unknown
  readonly error?: StoredError
}

export function fromOutcome(outcome: WorkOutcome, path: string): StepEnd | RunEnds {
  if (outcome.state === 'completed' && outcome.outputUnknown !== undefined)
    return { state: 'completed', output: undefined, outputUnknown: outcome.outputUnknown }
  if (outcome.state !== 'failed') return { state: outcome.state, output: outcome.output }
  const { error } = outcome
  if (error.code !== 'run_cancelled') return { state: 'failed', error, path }
  return { state: 'run_ends', outcome: { status: 'cancelled', output: null, error } }
}

export function goesOn(flow: Flow): boolean {
  return flow.state !== 'failed' && flow.state !== 'run_ends'
}

/**
 * The combined end of concurrent flows, whatever their order: a failed or cancelled run first, then a failed step,
 * then a `return`; ties by the order of the playbook.
 */
export function joined(flows: readonly Flow[]): Failed | RunEnds | undefined {
  const ends = flows.filter((flow) => flow.state === 'run_ends')
  return (
    ends.find((flow) => flow.outcome.status !== 'completed') ??
    flows.find((flow) => flow.state === 'failed') ??
    ends[0]
  )
}
