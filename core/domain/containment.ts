import type { CaseAction } from './case.ts'

/**
 * States of a containment. `undoing`: a run undoes it. `failed`: that run ended without undoing it. `unknown`: that run may have
 * undone it.
 */
export const containmentStates = ['active', 'undoing', 'undone', 'failed', 'unknown'] as const
export type ContainmentState = (typeof containmentStates)[number]

/** A destructive action that stays in effect until it is undone, such as an isolated machine. */
export interface Containment {
  readonly id: string
  readonly organizationUuid: string
  /** The case of the run, with its title; null: it has none. */
  readonly caseId: string | null
  readonly caseTitle: string | null
  readonly state: ContainmentState
  /** The action, without sensitive values. Its outcome is `accepted` or `unknown`. */
  readonly action: CaseAction
  /** Name of the connection; null: unknown, or the only one of the plugin. */
  readonly connection: string | null
  /** Name of the skill that undoes it. */
  readonly undoneBy: string
  /** Whether the input of that skill is known. If not, only people can undo it. */
  readonly hasUndo: boolean
  /** The last run that undid it or tried to. */
  readonly undoRunUuid: string | null
  readonly createdAt: number
  /** When its state last changed. */
  readonly changedAt: number
}

/** What the engine knows of a call of a destructive skill when its outcome is recorded. */
export interface DestructiveOutcome {
  /** Name of the connection; null: none, or unknown because the process stopped. */
  readonly connection: string | null
  /** The call contains: it stays in effect until it is undone. Undefined: it does not. */
  readonly contains?: Undo | undefined
}

/** The call that undoes another one. */
export interface Undo {
  /** `<plugin>.<skill>`. */
  readonly skill: string
  /** Undefined: the output of the containing call is unknown, and the input depends on it. */
  readonly input: Readonly<Record<string, unknown>> | undefined
}
