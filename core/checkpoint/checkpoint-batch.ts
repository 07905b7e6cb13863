import { createHash } from 'node:crypto'
import type { Checkpoint } from '../domain/checkpoint.ts'
import { ConflictError, ValidationError } from '../errors/errors.ts'
import { classToApprove, kindOf } from './kind.ts'

/** Questions that are answered together. */
export interface CheckpointBatch {
  readonly kind: string
  readonly organizationUuid: string
  readonly answers: readonly string[]
  readonly checkpoints: readonly Checkpoint[]
}

/**
 * Checks that there is at least one question, and that all have the same kind, organization and answers.
 *
 * @throws ValidationError `checkpoints_differ`, `checkpoint_has_form`
 */
export function requireBatch(checkpoints: readonly Checkpoint[]): CheckpointBatch {
  const [first] = checkpoints
  if (first === undefined) throw new Error('there are no questions')
  const { answers } = first.question
  if (answers === null)
    throw refusal('checkpoint_has_form', 'questions with a form must be answered one by one', 0)
  const other = checkpoints.findIndex((each) => !isLike(first)(each))
  if (other !== -1) {
    const message = `one answer can only be given to questions of one kind and organization: this is '${kindOf(checkpoints[other]!)}', the first is '${kindOf(first)}'`
    throw refusal('checkpoints_differ', message, other)
  }
  return { kind: kindOfAll(checkpoints), organizationUuid: first.organizationUuid, answers, checkpoints }
}

/** The kind of a batch. For approvals of different skills: the class of these skills. */
function kindOfAll(checkpoints: readonly Checkpoint[]): string {
  const [first, ...others] = new Set(checkpoints.map(kindOf))
  return others.length === 0 ? (first ?? '') : `approval:${classToApprove(checkpoints[0]!) ?? ''}`
}

/** Approvals of one class in one run can be answered together, regardless of the skills. */
const isOfSameRun = (first: Checkpoint, other: Checkpoint): boolean =>
  first.runUuid === other.runUuid &&
  classToApprove(first) !== undefined &&
  classToApprove(first) === classToApprove(other)

/** Whether two questions have the same kind, organization and answers. */
export const isLike =
  (first: Checkpoint) =>
  (other: Checkpoint): boolean =>
    (kindOf(other) === kindOf(first) || isOfSameRun(first, other)) &&
    other.organizationUuid === first.organizationUuid &&
    JSON.stringify(other.question.answers) === JSON.stringify(first.question.answers)

/** Identifies the questions of a preview, regardless of their order. Questions never change once asked. */
export function fingerprintOf({ kind, organizationUuid, checkpoints }: CheckpointBatch): string {
  const ids = checkpoints.map(({ id }) => id).toSorted()
  return createHash('sha256')
    .update(JSON.stringify([kind, organizationUuid, ids]))
    .digest('hex')
    .slice(0, 32)
}

/** Throws ConflictError `preview_differs` unless these are the questions that the preview showed. */
export function requireSamePreview(chosen: CheckpointBatch, seen: string): void {
  if (fingerprintOf(chosen) === seen) return
  throw new ConflictError('preview_differs', 'these are not the questions that the preview showed', {
    hint: 'preview exactly these questions, and send the `seen` of that preview',
  })
}

const refusal = (code: string, message: string, index: number): ValidationError =>
  new ValidationError(code, message, [{ pointer: `/checkpoints/${index}`, message }])
