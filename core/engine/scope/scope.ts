import type { Author } from '../../domain/audit.ts'
import type { Mask } from '../../domain/mask.ts'
import type { StoredError } from '../../domain/run.ts'
import type { Playbook, Step } from '../../playbook/language/playbook.ts'
import type { Outcome } from '../journal/durable-context.ts'
import type { Flow, ItemView } from './flow.ts'
import { idsWithin } from './step-ids.ts'

export const outputUnknownBy = Symbol('output unknown by')

/** What expressions see as `steps.<id>`. */
export interface StepView {
  readonly status: 'completed' | 'failed' | 'skipped'
  /** Whether it completed. */
  readonly ok: boolean
  readonly output?: unknown
  readonly error?: StoredError
  /** Of a `foreach`. */
  readonly items?: readonly ItemView[]
  /** Who decided that nobody knows the output; expressions do not see it. */
  readonly [outputUnknownBy]?: Author
}

/** Names that stay the same in a run: `alert`, `organization`, `case`, `inputs`; and what is known of `run` beforehand. */
export interface RunNames {
  readonly [name: string]: unknown
  readonly run?: Readonly<Record<string, unknown>>
}

/** What steps in order share and change. A branch gets a copy, so that siblings never see each other. */
interface Thread {
  /** Without prototype, by id. */
  readonly steps: Record<string, StepView>
  /** The latest recorded time so far: all that the interpreter knows of time, and the same on every replay. */
  nowMs: number
}

export interface Deadline {
  /** Epoch milliseconds, or Infinity. */
  readonly atMs: number
  readonly error: StoredError
  /** Of the group it belongs to; `''` for the run. */
  readonly path: string
}

/** Where the interpreter stands: what expressions see and by when the present steps must have ended. */
export interface Scope {
  readonly names: RunNames
  /** `item`, `index`, `error`, `output`, where they exist. */
  readonly locals: Readonly<Record<string, unknown>>
  readonly thread: Thread
  readonly deadline: Deadline
  /** The playbook, and those that called it, the outermost first. */
  readonly callers: readonly string[]
  /** Where the playbook declares something sensitive in the content of the alert. */
  readonly alertMask: Mask | undefined
  /** In `finally`: goes on although the run is cancelled. */
  readonly shielded: boolean
  /** Uses of a destructive skill that a person decided about together, by path. */
  readonly batch?: ReadonlyMap<string, BatchedUse> | undefined
}

/** What a person approved, or why a use that was refused fails. */
export type BatchedUse = { readonly input: unknown } | { readonly refused: Outcome }

export function withLocals(scope: Scope, locals: Readonly<Record<string, unknown>>): Scope {
  return { ...scope, locals: { ...scope.locals, ...locals } }
}

/** A branch that begins now and sees the steps so far. */
export function fork(scope: Scope): Scope {
  const { steps, nowMs } = scope.thread
  return {
    ...scope,
    thread: { steps: Object.assign(emptySteps(), steps), nowMs },
  }
}

/** The branch has ended: its steps are seen from now on. */
export function join(scope: Scope, branch: Scope, step: Step): void {
  for (const id of idsWithin(step)) {
    const view = branch.thread.steps[id]
    if (view) scope.thread.steps[id] = view
  }
  advance(scope, branch.thread.nowMs)
}

/** Recorded time passes; it never goes back, even if a clock was set back. */
export function advance(scope: Scope, atMs: number): void {
  scope.thread.nowMs = Math.max(scope.thread.nowMs, atMs)
}

export function isOver(deadline: Deadline, scope: Scope): boolean {
  return scope.thread.nowMs >= deadline.atMs
}

/** Before the first step of a playbook: every one of its steps reads as not reached. */
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

/** Before a step begins once more: what it did not reach this time reads as not reached, whatever it was the last time. */
export function forget(step: Step, { thread }: Scope): void {
  for (const id of idsWithin(step)) if (id !== step.id) thread.steps[id] = unreached
}

function emptySteps(): Record<string, StepView> {
  return Object.create(null) as Record<string, StepView>
}

/** A step that is not reached, or not yet: as skipped, without output. */
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
