import type { Catalogue } from '../registry/catalogue.ts'
import type { RetryPolicy, Step } from './playbook.ts'
import type { Node } from './document.ts'
import type { ReadObserver } from './observer.ts'
import type { Problems } from './problem.ts'
import type { Scope } from './scope.ts'
import type { SourceText, Span } from './source-text.ts'
import type { StepIds } from './step-ids.ts'

/** A connection that exists where the playbook shall run. */
export interface KnownConnection {
  readonly name: string
  readonly plugin: string
}

/** Reads a list of steps; what they add stays in the scope. */
type StepsReader = (context: Context, node: Node, scope: Scope) => readonly Step[]

/** What the reading of one playbook shares. */
export interface Context {
  readonly source: SourceText
  readonly problems: Problems
  /** Undefined: skills are taken as they come, their inputs unchecked, their outputs of any type. */
  readonly catalogue: Catalogue | undefined
  /** Undefined: not checked. */
  readonly connections: readonly KnownConnection[] | undefined
  readonly observer?: ReadObserver | undefined
  readonly ids: StepIds
  /** The readers of lists of steps, which actions need for the steps inside them: in order, and at once. */
  readonly readSequence: StepsReader
  readonly readBranches: StepsReader
  /** From `defaults`. */
  readonly defaults: { readonly timeoutMs: number | undefined; readonly retry: RetryPolicy | undefined }
  /** Ids of steps that some expression reads. */
  readonly readSteps: Set<string>
  /** Read skills and `set` steps, whose only use is their output: reported when nothing reads it. */
  readonly producers: { readonly id: string | null; readonly span: Span; readonly what: string }[]
}
