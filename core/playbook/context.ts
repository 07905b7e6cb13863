import type { Catalogue } from '../registry/catalogue.ts'
import type { RetryPolicy } from './playbook.ts'
import type { Problems } from './problem.ts'
import type { SourceText, Span } from './source-text.ts'
import type { StepIds } from './step-ids.ts'

/** A connection that exists where the playbook shall run. */
export interface KnownConnection {
  readonly name: string
  readonly plugin: string
}

/** What the reading of one playbook shares. */
export interface Context {
  readonly source: SourceText
  readonly problems: Problems
  /** Undefined: skills are taken as they come, their inputs unchecked, their outputs of any type. */
  readonly catalogue: Catalogue | undefined
  /** Undefined: not checked. */
  readonly connections: readonly KnownConnection[] | undefined
  readonly ids: StepIds
  /** From `defaults`. */
  readonly defaults: { readonly timeoutMs: number | undefined; readonly retry: RetryPolicy | undefined }
  /** Ids of steps that some expression reads. */
  readonly readSteps: Set<string>
  /** Read skills and `set` steps, whose only use is their output: reported when nothing reads it. */
  readonly producers: { readonly id: string | null; readonly span: Span; readonly what: string }[]
}
