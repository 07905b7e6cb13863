import type { Actor } from '../domain/audit.ts'
import {
  caseFieldNames,
  type ApiCaseChanges,
  type Case,
  type CaseEdit,
  type CaseTargets,
} from '../domain/case.ts'
import { ValidationError } from '../errors/errors.ts'
import type { NewCase } from '../plugin/index.ts'
import { timesAfter, type CaseTimes } from '../case/case-times.ts'

/** Fields that people and playbooks change. */
export const editableFields = Object.keys(caseFieldNames) as readonly (keyof typeof caseFieldNames)[]
/** With the person behind the name of the assignee. */
export const storedCaseFields = [...editableFields, 'assigneeId'] as const
const apiNames = { ...caseFieldNames, assigneeId: 'assignee_id' } as const
type CaseFields = Pick<Case, (typeof storedCaseFields)[number]>

export const newCaseFields = (given: NewCase): CaseFields => ({
  title: given.title,
  summary: given.summary ?? '',
  status: given.status ?? 'open',
  severity: given.severity ?? 'medium',
  verdict: given.verdict ?? 'unknown',
  assignee: given.assignee ?? null,
  assigneeId: null,
  closingReason: given.status === 'closed' ? (given.closingReason ?? null) : null,
  resolution: given.status === 'closed' ? (given.resolution ?? '') : '',
})

/** The part of an edit that differs from the case; undefined: nothing to change. */
export function caseDifference(before: CaseFields, edit: CaseEdit): CaseEdit | undefined {
  const whole = withAssigneeId(edit)
  const changed = storedCaseFields.filter(
    (field) => whole[field] !== undefined && whole[field] !== before[field],
  )
  if (changed.length === 0) return undefined
  // The name stays with the person, for the timeline.
  const named = changed.filter((field) => field !== 'assignee' && field !== 'assigneeId')
  const assigned = named.length < changed.length ? (['assignee', 'assigneeId'] as const) : []
  return Object.fromEntries([...named, ...assigned].map((field) => [field, whole[field]]))
}

/** An assignee without a person is a text. */
const withAssigneeId = (edit: CaseEdit): CaseEdit =>
  edit.assignee === undefined ? edit : { ...edit, assigneeId: edit.assigneeId ?? null }

/** The fields of an edit under their names in the API. */
export const apiChanges = (edit: CaseEdit): ApiCaseChanges =>
  Object.fromEntries(
    storedCaseFields
      .filter((field) => edit[field] !== undefined && (field !== 'assigneeId' || edit[field] !== null))
      .map((field) => [apiNames[field], edit[field]]),
  )

/** Reads changes of the API. */
export const editOf = (changes: ApiCaseChanges): CaseEdit =>
  Object.fromEntries(
    storedCaseFields
      .map((field) => [field, changes[apiNames[field]]] as const)
      .filter(([, value]) => value !== undefined),
  )

const closingFields = ['closingReason', 'resolution'] as const
const noClosing = { closingReason: null, resolution: '' } as const

/** An edit with its consequence: a case that is not closed has no closing reason and no resolution. */
export function withClosing(before: Pick<Case, 'status'>, edit: CaseEdit): CaseEdit {
  if ((edit.status ?? before.status) === 'closed') return edit
  const { closingReason: _, resolution: __, ...others } = edit
  return before.status === 'closed' ? { ...others, ...noClosing } : others
}

/** Throws ValidationError `case_not_closed` for a closing reason or a resolution of a case that is not closed by the edit. */
export function requireClosing(before: Pick<Case, 'status'>, edit: CaseEdit): void {
  if ((edit.status ?? before.status) === 'closed') return
  const errors = closingFields
    .filter((field) => edit[field] !== undefined && edit[field] !== noClosing[field])
    .map((field) => ({ pointer: `/${caseFieldNames[field]}`, message: 'only a closed case can have it' }))
  if (errors.length === 0) return
  throw new ValidationError('case_not_closed', 'the case is not closed', errors, {
    hint: 'send `status: closed` with it',
  })
}

/** What the new values of a row follow from. */
export interface ChangedCase
  extends CaseTimes, Pick<Case, 'revision' | 'createdAt' | 'severity' | 'status'> {}

function changedFields(edit: CaseEdit) {
  const whole = withAssigneeId(edit)
  const fields = storedCaseFields.filter((field) => whole[field] !== undefined)
  return Object.fromEntries(fields.map((field) => [field, whole[field]]))
}

/** The new values of the row: absent fields stay as they are. Each change counts as a revision. */
export const editCase = (
  before: ChangedCase,
  edit: CaseEdit,
  { by, now, targets }: { readonly by: Actor; readonly now: number; readonly targets: CaseTargets },
) => ({
  ...changedFields(edit),
  revision: before.revision + 1,
  modifiedAt: now,
  ...timesAfter(before, edit, { by, now, targets }),
})
