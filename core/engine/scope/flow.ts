import type { Author } from '../../domain/audit.ts'
import type { RunEnd, StoredError } from '../../domain/run.ts'
import type { Outcome } from '../journal/durable-context.ts'

/** How a run ended. */
export interface RunOutcome extends RunEnd {
  /** Path of the `fail` step that ended it. */
  readonly failedAt?: string
}

/** How a step, or a sequence of them, ended and what follows from it. Values, not exceptions: nothing may be lost on the way. */
export type Flow = StepEnd | RunEnds

/** The step ended; whether the steps after it go on follows from `state`. */
export type StepEnd =
  | {
      readonly state: 'completed'
      readonly output: unknown
      readonly items?: readonly ItemView[] | undefined
      /** Who decided that nobody knows the output, which is undefined then. */
      readonly outputUnknown?: Author | undefined
    }
  | { readonly state: 'skipped'; readonly output: unknown }
  /** It failed and nothing has handled it. */
  | Failed
  /** It failed, and its `on_error` says that the run goes on. */
  | {
      readonly state: 'handled'
      readonly error: StoredError
      readonly output: unknown
      readonly items?: readonly ItemView[] | undefined
    }

export interface Failed {
  readonly state: 'failed'
  readonly error: StoredError
  /** Of the step where it happened. */
  readonly path: string
  readonly items?: readonly ItemView[] | undefined
}

/** The whole run ends here: `return`, `fail`, or a cancellation. No `on_error` sees it. */
export interface RunEnds {
  readonly state: 'run_ends'
  readonly outcome: RunOutcome
}

/** One item of a `foreach`, as expressions see it. */
export interface ItemView {
  readonly index: number
  readonly status: 'completed' | 'failed' | 'skipped'
  readonly output?: unknown
  readonly error?: StoredError
}

export function fromOutcome(outcome: Outcome, path: string): StepEnd | RunEnds {
  if (outcome.state === 'completed' && outcome.outputUnknown !== undefined)
    return { state: 'completed', output: undefined, outputUnknown: outcome.outputUnknown }
  if (outcome.state !== 'failed') return { state: outcome.state, output: outcome.output }
  const { error } = outcome
  if (error.code !== 'run_cancelled') return { state: 'failed', error, path }
  return { state: 'run_ends', outcome: { status: 'cancelled', output: null, error } }
}

/** Whether the steps after this one go on. */
export function goesOn(flow: Flow): boolean {
  return flow.state !== 'failed' && flow.state !== 'run_ends'
}

/**
 * What came of several flows at once, whatever the order in which they ended: a run that fails or is cancelled first, then a
 * failed step, then a `return`; among equals the first in the order of the playbook.
 */
export function joined(flows: readonly Flow[]): Failed | RunEnds | undefined {
  const ends = flows.filter((flow) => flow.state === 'run_ends')
  return (
    ends.find((flow) => flow.outcome.status !== 'completed') ??
    flows.find((flow) => flow.state === 'failed') ??
    ends[0]
  )
}
