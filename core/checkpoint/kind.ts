import type { Checkpoint } from '../domain/checkpoint.ts'
import { isApprovalPath } from '../engine/journal/paths.ts'
import { textAt, valueAt } from '../plugin/index.ts'

type Asked = Pick<Checkpoint, 'path' | 'stepId' | 'question' | 'playbookName'>

/** The skill whose use is to be approved; undefined: the question is one of a playbook. */
export const heldSkillOf = ({ path, question }: Pick<Asked, 'path' | 'question'>): string | undefined =>
  isApprovalPath(path) ? (textAt(question.input, 'skill') ?? undefined) : undefined

/** The class of the actions that are to be approved; undefined: the question is one of a playbook. */
export const heldClassOf = ({ path, question }: Pick<Asked, 'path' | 'question'>): string | undefined =>
  isApprovalPath(path) ? (textAt(question.input, 'class') ?? undefined) : undefined

/** What the skill would be given, as it may be shown: several where uses that begin together are approved as one. */
export function heldInputsOf({ question: { input } }: Pick<Asked, 'question'>): readonly unknown[] {
  const inputs = valueAt(input, 'inputs')
  return Array.isArray(inputs) ? inputs : [valueAt(input, 'input') ?? null]
}

/**
 * What sort of question it is: those of one kind, in one organization, can be answered together. `approval:<skill>`, or
 * `<playbook>:<step>`, with the path of a step that has no id. A skill has a dot in its name, an id has none.
 */
export function kindOf(checkpoint: Asked): string {
  const skill = heldSkillOf(checkpoint)
  const { playbookName, stepId, path } = checkpoint
  return skill === undefined ? `${playbookName}:${stepId ?? path}` : `approval:${skill}`
}
