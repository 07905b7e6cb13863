import { isDeepStrictEqual } from 'node:util'
import type { ActionOutcome, CaseAction } from '../domain/case.ts'
import { ConflictError, NotFoundError } from '../errors/errors.ts'

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

/** Data of a destructive call at the time when its outcome is recorded. */
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

/** The state of a new containment. */
export const activeContainment: ContainmentState = 'active'

/** States in which the containment may still be in effect. */
export const standingStates: readonly ContainmentState[] = ['active', 'undoing', 'failed', 'unknown']

/**
 * Whether a containing call with this outcome creates a containment, or keeps that of an earlier call with
 * unknown outcome. A call that certainly changed nothing creates none.
 */
export const makesContainment = (outcome: ActionOutcome): boolean =>
  outcome === 'accepted' || outcome === 'unknown'

/** Free text for people, which may differ between two calls for the same target. */
const texts = new Set(['comment'])

/**
 * Whether a call of the undoing skill has the target of the containment: all fields that both inputs have are equal, except texts
 * for people.
 */
export function hasSameTarget(undo: unknown, input: unknown): boolean {
  if (!isRecord(undo) || !isRecord(input)) return false
  const both = Object.keys(undo).filter((field) => Object.hasOwn(input, field) && !texts.has(field))
  return both.length > 0 && both.every((field) => isDeepStrictEqual(undo[field], input[field]))
}

/**
 * The state when a run is queued that undoes the containment. Throws NotFoundError `containment_not_found`, ConflictError
 * `containment_undone` and `containment_being_undone`.
 */
export function beginUndo(state: ContainmentState | undefined): ContainmentState {
  if (state === undefined) throw new NotFoundError('containment_not_found', 'there is no such containment')
  if (state === 'undone') throw new ConflictError('containment_undone', 'the containment is undone already')
  if (state === 'undoing')
    throw new ConflictError('containment_being_undone', 'a run is undoing the containment', {
      hint: 'see undo_run_uuid of the containment',
    })
  return 'undoing'
}

/** States that change when the run ends that was to undo the containment. */
export const undoingState: ContainmentState = 'undoing'

/** The state when that run ended without undoing it. */
export const stateAfterFailedUndo: ContainmentState = 'failed'

/** An unknown connection (null) may be any connection. */
export const mayBeSameConnection = (one: string | null, other: string | null): boolean =>
  one === null || other === null || one.toLowerCase() === other.toLowerCase()

/**
 * The state after a call of the undoing skill ended, by its outcome. The outcome `unchanged` also undoes it:
 * the call found it already undone.
 */
export function containmentAfterUndo(state: ContainmentState, outcome: ActionOutcome): ContainmentState {
  if (!standingStates.includes(state)) return state
  if (outcome === 'accepted' || outcome === 'unchanged') return 'undone'
  return outcome === 'unknown' ? 'unknown' : state
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
