import { createHash } from 'node:crypto'
import type { Checkpoint } from '../domain/checkpoint.ts'
import { ConflictError, ValidationError } from '../errors/errors.ts'
import { heldClassOf, kindOf } from './kind.ts'

/** Questions that one decision answers. */
export interface OneKind {
  readonly kind: string
  readonly organizationUuid: string
  readonly answers: readonly string[]
  readonly checkpoints: readonly Checkpoint[]
}

/**
 * At least one question, all of one kind, in one organization, with the same answers to choose from.
 *
 * @throws ValidationError `checkpoints_differ`, `checkpoint_has_form`
 */
export function requireOneKind(checkpoints: readonly Checkpoint[]): OneKind {
  const [first] = checkpoints
  if (first === undefined) throw new Error('there are no questions')
  const { answers } = first.question
  if (answers === null)
    throw refusal('checkpoint_has_form', 'a form is filled in for each question by itself', 0)
  const other = checkpoints.findIndex((each) => !isLike(first)(each))
  if (other !== -1) {
    const message = `only questions of one kind and organization have one answer: this is '${kindOf(checkpoints[other]!)}', the first is '${kindOf(first)}'`
    throw refusal('checkpoints_differ', message, other)
  }
  return { kind: kindOfAll(checkpoints), organizationUuid: first.organizationUuid, answers, checkpoints }
}

/** Approvals of several skills have their class in common. */
function kindOfAll(checkpoints: readonly Checkpoint[]): string {
  const [first, ...others] = new Set(checkpoints.map(kindOf))
  return others.length === 0 ? (first ?? '') : `approval:${heldClassOf(checkpoints[0]!) ?? ''}`
}

/** Approvals of one class in one run are answered together, whichever skills are used. */
const isOfSameRun = (first: Checkpoint, other: Checkpoint): boolean =>
  first.runUuid === other.runUuid &&
  heldClassOf(first) !== undefined &&
  heldClassOf(first) === heldClassOf(other)

/** Whether a question is of the kind and organization of this one, with the same answers. */
export const isLike =
  (first: Checkpoint) =>
  (other: Checkpoint): boolean =>
    (kindOf(other) === kindOf(first) || isOfSameRun(first, other)) &&
    other.organizationUuid === first.organizationUuid &&
    JSON.stringify(other.question.answers) === JSON.stringify(first.question.answers)

/** Names what a preview showed: a question never changes once it has been asked. The same in whatever order they stand. */
export function seenOf({ kind, organizationUuid, checkpoints }: OneKind): string {
  const ids = checkpoints.map(({ id }) => id).toSorted()
  return createHash('sha256')
    .update(JSON.stringify([kind, organizationUuid, ids]))
    .digest('hex')
    .slice(0, 32)
}

/** Throws ConflictError `preview_differs` unless these are the questions that the preview showed. */
export function requireSeen(chosen: OneKind, seen: string): void {
  if (seenOf(chosen) === seen) return
  throw new ConflictError('preview_differs', 'these are not the questions that the preview showed', {
    hint: 'take the preview of exactly these questions, look at it, and send its `seen` with them',
  })
}

const refusal = (code: string, message: string, index: number): ValidationError =>
  new ValidationError(code, message, [{ pointer: `/checkpoints/${index}`, message }])
