import { isDeepStrictEqual } from 'node:util'
import { theServer, type Actor, type Author } from '../domain/audit.ts'
import type { ActionOutcome, CaseAction } from '../domain/case.ts'
import type { RunEnd } from '../domain/run.ts'
import { ConflictError, NotFoundError, ValidationError } from '../errors/errors.ts'
import { maxDurationMs, writeDuration } from '../playbook/language/durations.ts'
import type { ContainingCall, EndedBy, StateChecks } from './checks/state-checks.ts'

/**
 * States of a containment. `undoing`: a run undoes it. `failed`: that run ended without undoing it. `unknown`: that run may have
 * undone it. `overdue`: it has expired, and was not undone.
 */
export const containmentStates = ['active', 'undoing', 'undone', 'failed', 'unknown', 'overdue'] as const
export type ContainmentState = (typeof containmentStates)[number]
/** See `standingStates`. */
export type StandingState = Exclude<ContainmentState, 'undone'>

/** A destructive action that stays in effect until it is undone, such as an isolated machine. */
export interface Containment extends StateChecks {
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
  /** The person or key that started the run; otherwise the run, named after its playbook. */
  readonly owner: Author
  /** When it is undone without a request, in epoch milliseconds; null: only people undo it. */
  readonly expiresAt: number | null
  /** The condition under which it stays when it expires; null: none. */
  readonly unless: string | null
  /** Why it is `failed` or `overdue`, or stays beyond its expiry; null: nothing to say. */
  readonly note: string | null
  /** Who ended it; null: it is not undone. Ended outside of Tocsin, `changedAt` is when a check noticed that. */
  readonly endedBy: EndedBy | null
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
  /** When its containment expires. Undefined: only people undo it. */
  readonly expiry?: Expiry | undefined
  /** The other system refused the call, so it undid nothing. */
  readonly isRefused?: true | undefined
}

/** When a containment is undone without a request. */
export interface Expiry {
  /** Time after the call, in milliseconds. */
  readonly afterMs: number
  /** The condition under which it stays, see `undoCondition`. Undefined: it never stays. */
  readonly unless?: string | undefined
}

/** The call that undoes another one. */
export interface Undo {
  /** `<plugin>.<skill>`. */
  readonly skill: string
  /** Undefined: the output of the containing call is unknown, and the input depends on it. */
  readonly input: Readonly<Record<string, unknown>> | undefined
  /** The containing call, from which its state can be read. Undefined: nothing reads the state. */
  readonly call?: ContainingCall | undefined
}

/** The state of a new containment. */
export const activeContainment: ContainmentState = 'active'

/** States in which the containment may still be in effect. */
export const standingStates: readonly StandingState[] = ['active', 'undoing', 'failed', 'unknown', 'overdue']

/** States in which a containment is undone when it expires. In the others a run undoes it, or people decide. */
export const expiringStates: readonly ContainmentState[] = ['active', 'failed']

/** A containing call that runs again after its containment was undone contains again. */
export const endedState: ContainmentState = 'undone'

/** Undoes containments that have expired. */
export const theExpiry: Actor = { ...theServer, name: 'containment expiry' }

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

/** What the transitions of a containment depend on. */
export type ContainmentStanding = Pick<Containment, 'state' | 'expiresAt'>

function requireNotUndone(known: ContainmentStanding | undefined): ContainmentStanding {
  if (known === undefined) throw new NotFoundError('containment_not_found', 'there is no such containment')
  if (known.state === 'undone')
    throw new ConflictError('containment_undone', 'the containment is undone already')
  if (known.state === 'undoing')
    throw new ConflictError('containment_being_undone', 'a run is undoing the containment', {
      hint: 'see undo_run_uuid of the containment',
    })
  return known
}

/**
 * The state when a run is queued that undoes the containment. Throws NotFoundError `containment_not_found`, ConflictError
 * `containment_undone` and `containment_being_undone`.
 *
 * @param expiredAt the expiry that queues the run; ConflictError `containment_changed` if it is another one by now
 */
export function beginUndo(known: ContainmentStanding | undefined, expiredAt?: number): ContainmentState {
  const { state, expiresAt } = requireNotUndone(known)
  if (expiredAt !== undefined && (expiresAt !== expiredAt || !expiringStates.includes(state)))
    throw new ConflictError('containment_changed', 'the containment no longer expires at that time')
  return 'undoing'
}

/** States that change when the run ends that was to undo the containment. */
export const undoingState: ContainmentState = 'undoing'

/** The state when that run ended without undoing it. */
export const stateAfterFailedUndo = (expiresAt: number | null, now: number): ContainmentState =>
  expiresAt !== null && expiresAt <= now ? 'overdue' : 'failed'

/** Characters of the error of a run in a note. The run has all of it. */
const maxError = 500

/** Why the run did not undo it. */
export const failedUndoNote = ({ status, error }: RunEnd): string =>
  `the run that was to undo it ${status === 'cancelled' ? 'was cancelled' : status}${error === null ? '' : `: ${error.message.slice(0, maxError)}`}`

/** What happened at the expiry instead of an undo: the condition is true, or the undo cannot begin. */
export interface ExpiryOutcome {
  readonly kind: 'kept' | 'overdue'
  /** The reason, for people. */
  readonly note: string
}

/** The fields after that. People decide about both; only the reason differs. */
export const afterExpiry = (
  { kind, note }: ExpiryOutcome,
  expiresAt: number,
): Pick<Containment, 'state' | 'expiresAt' | 'note'> =>
  kind === 'kept' ? { state: 'active', expiresAt: null, note } : { state: 'overdue', expiresAt, note }

/** A person's change of an expiry: to a time in epoch milliseconds, to none (null: only people undo it), or by a time. */
export type Extension = { readonly until: number | null } | { readonly byMs: number }

/**
 * The fields after an extension. Throws NotFoundError `containment_not_found`, ConflictError `containment_undone`,
 * `containment_being_undone` and, if a call may have undone it, `containment_unknown`; ValidationError `value_invalid`.
 */
export function afterExtension(
  known: ContainmentStanding | undefined,
  extension: Extension,
  now: number,
): Pick<Containment, 'state' | 'expiresAt' | 'note'> {
  const { state, expiresAt } = requireNotUndone(known)
  if (state === 'unknown')
    throw new ConflictError('containment_unknown', 'the containment may be undone already', {
      hint: 'decide the step with unknown outcome in the run of undo_run_uuid, or undo it again',
    })
  const extended = 'until' in extension ? extension.until : Math.max(now, expiresAt ?? now) + extension.byMs
  if (extended !== null) checkExpiry('until' in extension ? 'until' : 'by', extended, now)
  return { state: 'active', expiresAt: extended, note: null }
}

function checkExpiry(field: string, expiresAt: number, now: number): void {
  const message =
    expiresAt <= now
      ? 'must be in the future (epoch milliseconds)'
      : expiresAt > now + maxDurationMs
        ? `ends later than ${writeDuration(maxDurationMs)} from now`
        : undefined
  if (message !== undefined)
    throw new ValidationError('value_invalid', `${field} ${message}`, [{ pointer: `/${field}`, message }])
}

/** An unknown connection (null) may be any connection. */
export const mayBeSameConnection = (one: string | null, other: string | null): boolean =>
  one === null || other === null || one.toLowerCase() === other.toLowerCase()

/**
 * The state after a call of the undoing skill ended, by its outcome. The outcome `unchanged` also undoes it:
 * the call found it already undone. A refused call changes nothing.
 */
export function containmentAfterUndo(
  state: ContainmentState,
  outcome: ActionOutcome,
  { isRefused }: Pick<DestructiveOutcome, 'isRefused'>,
): ContainmentState {
  if (state === 'undone' || isRefused === true) return state
  if (outcome === 'accepted' || outcome === 'unchanged') return 'undone'
  return outcome === 'unknown' ? 'unknown' : state
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
