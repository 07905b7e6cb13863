import { isDeepStrictEqual } from 'node:util'
import type { ActionOutcome } from '../domain/case.ts'
import type { ContainmentState } from '../domain/containment.ts'

/** The state of a new containment. */
export const activeContainment: ContainmentState = 'active'

/** States in which the containment may still be in effect. */
export const standingStates: readonly ContainmentState[] = ['active', 'undoing', 'failed', 'unknown']

/**
 * Whether the outcome of a containing call makes a containment, or keeps the one that an earlier, unknown outcome made. A call
 * that surely changed nothing makes none.
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

/** A known connection differs only from another known one. */
export const mayBeSameConnection = (one: string | null, other: string | null): boolean =>
  one === null || other === null || one.toLowerCase() === other.toLowerCase()

/** The state after a call of the undoing skill ended, by its outcome. One that found it undone already undoes it too. */
export function containmentAfterUndo(state: ContainmentState, outcome: ActionOutcome): ContainmentState {
  if (!standingStates.includes(state)) return state
  if (outcome === 'accepted' || outcome === 'unchanged') return 'undone'
  return outcome === 'unknown' ? 'unknown' : state
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
