import type { Catalogue } from '../../registry/catalogue.ts'
import type { Type } from '../../expression/index.ts'
import type { CallablePlaybooks } from './callable-playbooks.ts'
import type { RetryPolicy, Step } from '../language/playbook.ts'
import type { Node } from '../yaml/document.ts'
import type { ReadObserver } from '../template/observer.ts'
import type { Problems } from '../language/problem.ts'
import type { Scope } from './scope.ts'
import type { SourceText, Span } from '../language/source-text.ts'
import type { StepIds } from './step-ids.ts'
import type { Sliced } from '../../common/sliced.ts'

/** A connection that exists where the playbook shall run. */
export interface KnownConnection {
  readonly name: string
  readonly plugin: string
}

/** Names on a server where the playbook shall run: whichever it says has to be among them. */
export interface KnownNames {
  readonly connections: readonly KnownConnection[]
  /** Codes. */
  readonly providers: readonly string[]
  /** Codes. Undefined: not checked. */
  readonly organizations?: readonly string[] | undefined
}

/** Reads a list of steps; what they add stays in the scope. */
type StepsReader = (context: Context, node: Node, scope: Scope) => Sliced<readonly Step[]>

export interface Defaults {
  readonly timeoutMs: number | undefined
  readonly retry: RetryPolicy | undefined
  /** Names of connections by plugin. */
  readonly connections: ReadonlyMap<string, string>
}

/** What the reading of one playbook shares. */
export interface Context {
  readonly source: SourceText
  readonly problems: Problems
  /** Undefined: skills are taken as they come, their inputs unchecked, their outputs of any type. */
  readonly catalogue: Catalogue | undefined
  /** Undefined: not checked. */
  readonly connections: readonly KnownConnection[] | undefined
  /** Undefined: names of connections and providers are taken as they come. */
  readonly known?: KnownNames | undefined
  readonly observer?: ReadObserver | undefined
  readonly ids: StepIds
  /** The readers of lists of steps, which actions need for the steps inside them: in order, and at once. */
  readonly readSequence: StepsReader
  readonly readBranches: StepsReader
  /** From `defaults`. */
  readonly defaults: Defaults
  /** Undefined: playbooks are called as they come. */
  readonly playbooks: CallablePlaybooks | undefined
  /** Names of the playbooks that are being read: each is called by the one before it; the present one is the last. */
  readonly callers: readonly string[]
  /** Whether runs of the playbook have an alert. */
  readonly hasAlert: boolean
  /** Names of the playbooks that are called. */
  readonly calls: Set<string>
  /** Of every `return` outside of `finally`. */
  readonly returns: Type[]
  /** What the patterns in all expressions may still weigh. */
  readonly patterns: { left: number }
  /** Ids of steps that some expression reads. */
  readonly readSteps: Set<string>
  /** Read skills and `set` steps, whose only use is their output: reported when nothing reads it. */
  readonly producers: { readonly id: string | null; readonly span: Span; readonly what: string }[]
}
