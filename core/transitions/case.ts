import type { Case, CaseEdit } from '../domain/case.ts'
import type { NewCase } from '../plugin/index.ts'

/** Fields that people and playbooks change. */
export const editableFields = ['title', 'summary', 'status', 'severity', 'verdict', 'assignee'] as const
type CaseFields = Pick<Case, (typeof editableFields)[number]>

export const newCaseFields = (given: NewCase): CaseFields => ({
  title: given.title,
  summary: given.summary ?? '',
  status: given.status ?? 'open',
  severity: given.severity ?? 'medium',
  verdict: given.verdict ?? 'unknown',
  assignee: given.assignee ?? null,
})

/** The part of an edit that differs from the case; undefined: nothing to change. */
export function caseDifference(before: CaseFields, edit: CaseEdit): CaseEdit | undefined {
  const changed = editableFields.filter((field) => edit[field] !== undefined && edit[field] !== before[field])
  if (changed.length === 0) return undefined
  return Object.fromEntries(changed.map((field) => [field, edit[field]]))
}

/** The new values of the row: absent fields stay as they are. Each change counts as a revision. */
export const editCase = ({ revision }: Pick<Case, 'revision'>, edit: CaseEdit, now: number) => ({
  ...Object.fromEntries(
    editableFields.filter((field) => edit[field] !== undefined).map((field) => [field, edit[field]]),
  ),
  revision: revision + 1,
  modifiedAt: now,
})
