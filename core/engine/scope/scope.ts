import type { BatchApproval } from '../../destructive/input-hash.ts'
import type { Author } from '../../domain/audit.ts'
import type { Mask } from '../../domain/mask.ts'
import type { StoredError } from '../../domain/run.ts'
import type { Playbook, Step } from '../../playbook/language/playbook.ts'
import type { PlaybookState } from '../../state/state.ts'
import type { WorkOutcome } from '../journal/durable-context.ts'
import type { Flow, ItemView } from './flow.ts'
import { innerSteps } from '../../playbook/check/inner-steps.ts'

export const outputUnknownBy = Symbol('output unknown by')

/** The `steps.<id>` of expressions. */
export interface StepView {
  readonly status: 'completed' | 'failed' | 'skipped'
  /** Whether it completed. */
  readonly ok: boolean
  readonly output?: unknown
  readonly error?: StoredError
  /** Of a `foreach`. */
  readonly items?: readonly ItemView[]
  /** Who decided `ran_output_unknown`; not visible to expressions. */
  readonly [outputUnknownBy]?: Author
}

/** Names that stay the same in a run: `alert`, `organization`, `case`, `inputs`, and the initial fields of `run`. */
export interface RunNames {
  readonly [name: string]: unknown
  readonly run?: Readonly<Record<string, unknown>>
}

/** State shared by steps in sequence. A branch gets a copy, so siblings do not see each other. */
interface Thread {
  /** By id, without prototype. */
  readonly steps: Record<string, StepView>
  /** The latest recorded time: the interpreter's only clock, the same on every replay. */
  nowMs: number
}

export interface Deadline {
  /** Epoch milliseconds, or Infinity. */
  readonly atMs: number
  readonly error: StoredError
  /** Path of the group that it belongs to; `''` for the run. */
  readonly path: string
}

/** What expressions see at a step, and its deadline. */
export interface StepScope {
  readonly names: RunNames
  /** `item`, `index`, `error` and `output`, where they exist. */
  readonly locals: Readonly<Record<string, unknown>>
  readonly thread: Thread
  readonly deadline: Deadline
  /** The state that the playbook declares. */
  readonly state: PlaybookState
  /** The playbook and its callers, outermost first. */
  readonly callers: readonly string[]
  /** Sensitive places in the alert content, as the playbook declares them. */
  readonly alertMask: Mask | undefined
  /** In `finally`: continues if the run is cancelled. */
  readonly shielded: boolean
  /** Uses of a destructive skill with a common decision, by path. */
  readonly batch?: ReadonlyMap<string, BatchedUse> | undefined
}

/** The approved input, or the outcome of a refused use. */
export type BatchedUse =
  { readonly input: unknown; readonly approval: BatchApproval } | { readonly refused: WorkOutcome }

export function withLocals(scope: StepScope, locals: Readonly<Record<string, unknown>>): StepScope {
  return { ...scope, locals: { ...scope.locals, ...locals } }
}

/** A copy for a branch that begins now. */
export function fork(scope: StepScope): StepScope {
  const { steps, nowMs } = scope.thread
  return {
    ...scope,
    thread: { steps: Object.assign(emptySteps(), steps), nowMs },
  }
}

/** Makes the steps of an ended branch visible. */
export function join(scope: StepScope, branch: StepScope, step: Step): void {
  for (const id of idsWithin(step)) {
    const view = branch.thread.steps[id]
    if (view) scope.thread.steps[id] = view
  }
  advance(scope, branch.thread.nowMs)
}

/** Advances the recorded time; it never goes back, even if the clock was set back. */
export function advance(scope: StepScope, atMs: number): void {
  scope.thread.nowMs = Math.max(scope.thread.nowMs, atMs)
}

/** The deadline of a step with a timeout of its own: the earlier of that and the scope's. */
export function earlierDeadline(
  scope: StepScope,
  timeoutMs: number,
  path: string,
  subject: string,
): Deadline {
  const atMs = scope.thread.nowMs + timeoutMs
  if (atMs >= scope.deadline.atMs) return scope.deadline
  const message = `${subject} took longer than ${timeoutMs / 1000} s`
  return { atMs, path, error: { code: 'step_timeout', message, details: { timeout_ms: timeoutMs } } }
}

export function isOver(deadline: Deadline, scope: StepScope): boolean {
  return scope.thread.nowMs >= deadline.atMs
}

/** Before the first step of a playbook: every step reads as not reached. */
export function emptyThread(
  playbook: Pick<Playbook, 'steps' | 'onError' | 'finally'>,
  nowMs: number,
): Thread {
  const steps = emptySteps()
  for (const step of [...playbook.steps, ...playbook.onError, ...playbook.finally]) {
    for (const id of idsWithin(step)) steps[id] = unreached
  }
  return { steps, nowMs }
}

/** Before a step runs again: its inner steps read as not reached. */
export function forget(step: Step, { thread }: StepScope): void {
  for (const id of idsWithin(step)) if (id !== step.id) thread.steps[id] = unreached
}

function emptySteps(): Record<string, StepView> {
  return Object.create(null) as Record<string, StepView>
}

/** A step that is not reached reads as skipped, without output. */
const unreached: StepView = Object.freeze({ status: 'skipped', ok: false })

export function viewOf(flow: Exclude<Flow, { state: 'run_ends' }>): StepView {
  const output = 'output' in flow && flow.output !== undefined ? { output: flow.output } : {}
  const items = 'items' in flow && flow.items ? { items: flow.items } : {}
  switch (flow.state) {
    case 'completed':
      return {
        status: 'completed',
        ok: true,
        ...output,
        ...items,
        ...(flow.outputUnknown && { [outputUnknownBy]: flow.outputUnknown }),
      }
    case 'skipped':
      return { status: 'skipped', ok: false, ...output }
    case 'failed':
    case 'handled':
      return { status: 'failed', ok: false, error: flow.error, ...output, ...items }
  }
}

const known = new WeakMap<Step, readonly string[]>()

/** The ids of the step and its inner steps, including its `on_error`. */
export function idsWithin(step: Step): readonly string[] {
  let ids = known.get(step)
  if (ids === undefined) {
    ids = [...(step.id === null ? [] : [step.id]), ...innerSteps(step).flatMap(idsWithin)]
    known.set(step, ids)
  }
  return ids
}
