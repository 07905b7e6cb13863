import type { Actor } from '../../domain/audit.ts'
import type { Case, CaseEdit } from '../../domain/case.ts'
import { ConflictError, ValidationError } from '../../errors/errors.ts'
import { severities, verdicts } from '../../plugin/index.ts'
import { editCase, type ChangedCase } from '../case.ts'
import { timelineEntry, type NewCaseEntry } from '../timeline.ts'
import { assessedFields, combinedAssessment, type AssessedField, type Assessment } from './assessment.ts'

/** Bounds of one request, so that it is one short write. */
export const mergeBounds = { cases: 20, alertsOfSplit: 100, moved: 10_000 } as const

type Named = Pick<Case, 'id' | 'title'>
type MergedState = Pick<Case, 'id' | 'status' | 'mergedInto'>

/**
 * Whether `source` still has to be merged into `target`; false: it was before. Throws ValidationError `same_case`, ConflictError
 * `case_merged` or `case_closed`.
 */
export function requireMergeable(target: MergedState, source: MergedState): boolean {
  if (source.id === target.id) {
    const message = 'is the case itself'
    throw new ValidationError('same_case', `the case ${source.id} cannot be merged into itself`, [
      { pointer: '/cases', message },
    ])
  }
  if (source.mergedInto === target.id) return false
  requireNotMerged(target)
  requireNotMerged(source)
  if (target.status !== 'closed') return true
  throw new ConflictError('case_closed', `the case ${target.id} is closed`, {
    hint: 'reopen it, or merge it into an open case',
  })
}

/** Throws ConflictError `case_merged`: people change the case that it was merged into. */
export function requireNotMerged({ id, mergedInto }: Pick<MergedState, 'id' | 'mergedInto'>): void {
  if (mergedInto === null) return
  throw new ConflictError('case_merged', `the case ${id} was merged into ${mergedInto}`, {
    hint: `use the case ${mergedInto}`,
    details: { case_id: mergedInto },
  })
}

/** Throws ConflictError `case_too_large`. */
export function requireMovable(id: string, rows: number, hint: string): void {
  if (rows <= mergeBounds.moved) return
  throw new ConflictError(
    'case_too_large',
    `the case ${id} has more than ${mergeBounds.moved.toLocaleString('en')} alerts or runs to move`,
    { hint },
  )
}

type Assessed = Pick<Case, AssessedField>

/**
 * The fields of a merged case: the higher severity, the more serious verdict, all summaries; a person's
 * decision stays.
 */
export function mergedFields(
  target: Assessed,
  source: Assessed,
  decided: readonly AssessedField[],
  assessments: readonly Assessment[],
): CaseEdit {
  const { summary = target.summary || source.summary } = combinedAssessment(assessments)
  const fields = {
    severity: graver(severities, target.severity, source.severity),
    verdict: graver(verdicts, target.verdict, source.verdict),
    summary,
  }
  return changedFields(target, fields, decided)
}

/** The fields that a person has decided about after a merge: also those of the merged case that are not less serious. */
export const decidedAfterMerge = (
  decided: readonly AssessedField[],
  merged: Assessed,
  source: Assessed & { readonly decided: readonly AssessedField[] },
): readonly AssessedField[] =>
  assessedFields.filter(
    (field) => decided.includes(field) || (source.decided.includes(field) && merged[field] === source[field]),
  )

/** The fields of a case after alerts left it: the combined results of the remaining alerts. */
export const fieldsAfterSplit = (
  before: Assessed,
  decided: readonly AssessedField[],
  assessments: readonly Assessment[],
): CaseEdit => changedFields(before, combinedAssessment(assessments), decided)

function changedFields(
  before: Assessed,
  fields: Partial<Assessed>,
  decided: readonly AssessedField[],
): CaseEdit {
  const changed = Object.entries(fields).filter(
    ([field, value]) => !decided.includes(field as AssessedField) && value !== before[field as AssessedField],
  )
  return Object.fromEntries(changed)
}

const graver = <Word extends string>(order: readonly Word[], a: Word, b: Word): Word =>
  order.indexOf(a) < order.indexOf(b) ? b : a

/** The new values of a case that was merged into another. */
export const mergedCase = (source: ChangedCase, by: Actor, now: number) =>
  editCase(source, { status: 'closed' }, { by, now, targets: {} })

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

export interface Moved {
  readonly alerts: number
  readonly runs: number
}

const movedText = ({ alerts, runs }: Moved): string =>
  `${counted(alerts, 'alert')} and ${counted(runs, 'run')}`

/** The timeline entries of the target case and of the merged case. */
export const mergeEntries = (target: Named, source: Named, moved: Moved, by: Actor, now: number) => ({
  target: timelineEntry(
    'merged',
    `Case ${source.id} “${source.title}” was merged into this case with ${movedText(moved)}.`,
    by,
    now,
  ),
  source: timelineEntry(
    'merged',
    `Case ${source.id} was merged into ${target.id} “${target.title}” with ${movedText(moved)}. Later notes and actions of its runs are there.`,
    by,
    now,
  ),
})

/** Why an alert is in the case, phrased to follow "because". */
export const mergedReason = (source: Named, by: Actor): string =>
  `${by.name} merged case ${source.id} into it`
export const splitReason = (source: Named, by: Actor): string => `${by.name} split it from case ${source.id}`

/** Named in the timeline; the rest is counted. */
const namedAlerts = 20

/** The timeline entries of the case that alerts left, and of their new case. */
export function splitEntries(
  from: Named,
  to: Named,
  alerts: readonly string[],
  by: Actor,
  now: number,
): { readonly from: NewCaseEntry; readonly to: NewCaseEntry } {
  const more = alerts.length - namedAlerts
  const list = [...alerts.slice(0, namedAlerts), ...(more > 0 ? [`${more} more`] : [])].join(', ')
  return {
    from: timelineEntry(
      'split',
      `${counted(alerts.length, 'alert')} left for the new case ${to.id}: ${list}.`,
      by,
      now,
    ),
    to: timelineEntry(
      'split',
      `The case was split from ${from.id} “${from.title}” with ${counted(alerts.length, 'alert')}: ${list}. Notes and files stayed there.`,
      by,
      now,
    ),
  }
}

const maxTitle = 500

export function splitTitle({ id, title }: Named, given: string | undefined): string {
  const ending = ` (split from ${id})`
  return given ?? `${title.slice(0, maxTitle - ending.length).toWellFormed()}${ending}`
}

/** Throws ConflictError `alert_not_in_case`. */
export function requireInCase<Alert extends { readonly caseRow: number | null }>(
  alert: Alert | undefined,
  caseRow: number,
  { given, caseId }: { readonly given: string; readonly caseId: string },
): Alert {
  if (alert !== undefined && alert.caseRow === caseRow) return alert
  throw new ConflictError(
    'alert_not_in_case',
    `the alert '${given.slice(0, 100)}' is not in the case ${caseId}`,
    {
      hint: 'read the case again: the alert may have been split from it before',
      details: { alert: given.slice(0, 100) },
    },
  )
}

/** Throws ConflictError `nothing_left`. */
export function requireSomeLeft(left: number, caseId: string): void {
  if (left > 0) return
  throw new ConflictError('nothing_left', `no alert would be left in the case ${caseId}`, {
    hint: 'leave at least one alert, or rename the case',
  })
}
