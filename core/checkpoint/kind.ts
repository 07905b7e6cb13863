import type { Checkpoint } from '../domain/checkpoint.ts'
import { isApprovalPath } from '../engine/journal/paths.ts'
import { textAt, valueAt } from '../plugin/index.ts'

type Asked = Pick<Checkpoint, 'path' | 'stepId' | 'question' | 'playbookName'>

/** The skill that waits for approval; undefined for a question of a playbook. */
export const skillToApprove = ({ path, question }: Pick<Asked, 'path' | 'question'>): string | undefined =>
  isApprovalPath(path) ? (textAt(question.input, 'skill') ?? undefined) : undefined

/** The class of the actions that wait for approval; undefined for a question of a playbook. */
export const classToApprove = ({ path, question }: Pick<Asked, 'path' | 'question'>): string | undefined =>
  isApprovalPath(path) ? (textAt(question.input, 'class') ?? undefined) : undefined

/** The inputs of the waiting actions, redacted; several if one approval covers several actions. */
export function inputsToApprove({ question: { input } }: Pick<Asked, 'question'>): readonly unknown[] {
  const inputs = valueAt(input, 'inputs')
  return Array.isArray(inputs) ? inputs : [valueAt(input, 'input') ?? null]
}

/**
 * The kind of a question: `approval:<skill>` or `<playbook>:<step>`, with the path if the step has no id.
 * Questions of one kind and organization can be answered together. Names of skills contain a dot, ids do not.
 */
export function kindOf(checkpoint: Asked): string {
  const skill = skillToApprove(checkpoint)
  const { playbookName, stepId, path } = checkpoint
  return skill === undefined ? `${playbookName}:${stepId ?? path}` : `approval:${skill}`
}
