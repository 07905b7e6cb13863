import type { Catalogue } from '../../registry/catalogue.ts'
import type { ExpressionProblem, Type } from '../../expression/index.ts'
import type { PlaybookState } from '../../state/state.ts'
import type { Playbook, RetryPolicy, Step } from '../language/playbook.ts'
import type { Node } from '../yaml/document.ts'
import type { ReadObserver } from '../template/observer.ts'
import type { Problem, Problems } from '../language/problem.ts'
import type { NameScope } from './scope.ts'
import type { SourceText, Span } from '../language/source-text.ts'
import type { StepIds } from './step-ids.ts'
import type { Sliced } from '../../common/sliced.ts'

/** A connection of the organization that runs the playbook. */
export interface KnownConnection {
  readonly name: string
  readonly plugin: string
  /** Code of its organization. Default: playbooks of every organization may use it. */
  readonly organization?: string | undefined
}

/** Names on the server that runs the playbook, which may only use these. */
export interface KnownNames {
  readonly connections: readonly KnownConnection[]
  /** Codes. */
  readonly providers: readonly string[]
  /** Codes. Undefined: not checked. */
  readonly organizations?: readonly string[] | undefined
  /** There may be others, which a playbook cannot belong to. Default: no. */
  readonly otherOrganizations?: true | undefined
}

/** Reads a list of steps and adds their results to the scope. */
type StepsReader = (context: ReadContext, node: Node, scope: NameScope) => Sliced<readonly Step[]>

export interface Defaults {
  readonly timeoutMs: number | undefined
  readonly retry: RetryPolicy | undefined
  /** Names of connections by plugin. */
  readonly connections: ReadonlyMap<string, string>
}

export interface ParsedPlaybook {
  /** Undefined exactly if one of the problems is an error. */
  readonly playbook: Playbook | undefined
  /** In source order. */
  readonly problems: readonly Problem[]
  /** Names of the playbooks that it calls, also if it has errors. */
  readonly calls: readonly string[]
}

/** The playbooks that a playbook can call. */
export interface CallablePlaybooks {
  readonly names: readonly string[]
  readonly expectedAt: (name: string) => string | undefined
  /**
   * Reads and checks a playbook; undefined if there is none with this name.
   *
   * @param callers the call chain to this playbook, to detect cycles
   */
  find(name: string, callers: readonly string[]): ParsedPlaybook | undefined
  /** The same in time slices. */
  findInSlices(name: string, callers: readonly string[]): Sliced<ParsedPlaybook | undefined>
}

/** What expressions and templates are compiled with. */
export interface ExpressionContext {
  readonly source: SourceText
  readonly problems: Problems
  readonly observer?: ReadObserver | undefined
  readonly ids: StepIds
  /** The remaining weight for regular expressions. */
  readonly patterns: { left: number }
  /** Ids of the steps that expressions read; '' for any step. */
  readonly readSteps: Set<string>
  /** Whether a condition may be written in `${{ }}`. Default: no. */
  readonly conditionsInBraces?: true
  /** The hint for a problem of an expression. Default: the one for playbooks. */
  readonly hintFor?: (expression: string, problem: ExpressionProblem, scope: NameScope) => string | undefined
}

interface Producer {
  readonly id: string | null
  readonly span: Span
  readonly what: string
  /** What can be removed if nothing reads it. */
  readonly spare: string
}

/** State shared by the readers of one playbook. */
export interface ReadContext extends ExpressionContext {
  /** Undefined: skills are not checked and their outputs have type `dyn`. */
  readonly catalogue: Catalogue | undefined
  /** Undefined: not checked. */
  readonly connections: readonly KnownConnection[] | undefined
  /** Undefined: names of connections and providers are not checked. */
  readonly known?: KnownNames | undefined
  /** Code of the organization that the playbook belongs to; undefined: it is a shared one. */
  readonly organization?: string | undefined
  /** The readers of lists of steps, for the steps inside actions: in order, and at the same time. */
  readonly readSequence: StepsReader
  readonly readBranches: StepsReader
  /** From `defaults`. */
  readonly defaults: Defaults
  /** Undefined: calls are not checked. */
  readonly playbooks: CallablePlaybooks | undefined
  /** The call chain of playbooks being read; the current one is the last. */
  readonly callers: readonly string[]
  /** The declared states, and the names of invalid ones. */
  readonly states: { readonly state: PlaybookState; readonly invalid: ReadonlySet<string> }
  /** Whether runs of the playbook have an alert. */
  readonly hasAlert: boolean
  /** Names of the called playbooks. */
  readonly calls: Set<string>
  /** Types of every `return` outside of `finally`. */
  readonly returns: Type[]
  /** Steps without effect (`set` and skills that read) and outputs of groups: reported if nothing reads them. */
  readonly producers: Producer[]
}
