import type { Case, CaseEdit } from '../../domain/case.ts'
import { severities, verdicts, type CaseChanges, type Severity, type Verdict } from '../../plugin/index.ts'

/** Fields of a case that several runs can have different results for. */
export const assessedFields = ['severity', 'verdict', 'summary'] as const
export type AssessedField = (typeof assessedFields)[number]

/**
 * The latest results about a case: from the runs of one alert, or from the runs of one playbook without
 * an alert.
 */
export interface Assessment {
  readonly source: string
  /** The id of the alert or the name of the playbook. */
  readonly name: string
  readonly severity: Severity | null
  readonly verdict: Verdict | null
  readonly summary: string | null
}

/** A later result of the same source replaces the earlier result, for example after a retry. */
export const assessedAgain = (
  before: Assessment | undefined,
  { source, name }: Pick<Assessment, 'source' | 'name'>,
  { severity, verdict, summary }: CaseChanges,
): Assessment => ({
  source,
  name,
  severity: severity ?? before?.severity ?? null,
  verdict: verdict ?? before?.verdict ?? null,
  summary: summary ?? before?.summary ?? null,
})

export const maxSummary = 10_000

type Assessed = Pick<Case, AssessedField>

/**
 * The combined results: the highest severity, the most serious verdict and every summary. Absent fields have
 * no result.
 */
export function combinedAssessment(all: readonly Assessment[]): Partial<Assessed> {
  const severity = gravest(
    severities,
    all.map((each) => each.severity),
  )
  const verdict = gravest(
    verdicts,
    all.map((each) => each.verdict),
  )
  const summaries = all.filter(({ summary }) => summary !== null && summary !== '')
  return {
    ...(severity && { severity }),
    ...(verdict && { verdict }),
    ...(summaries.length > 0 && { summary: joinedSummaries(summaries) }),
  }
}

function gravest<Word extends string>(
  order: readonly Word[],
  said: readonly (Word | null)[],
): Word | undefined {
  return order[Math.max(...said.map((word) => (word === null ? -1 : order.indexOf(word))))]
}

/** A single summary as it is; several with the name of their source, shortened so that each has a part. */
function joinedSummaries(all: readonly Assessment[]): string {
  if (all.length === 1) return all[0]!.summary ?? ''
  const each = Math.max(80, Math.floor(maxSummary / all.length) - 40)
  const parts = all.map(({ name, summary }) => `${name}: ${shortened(summary ?? '', each)}`)
  return shortened(parts.join('\n\n'), maxSummary)
}

const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`

/** The case when a run changes it. */
export interface AssessedCase {
  readonly before: Pick<Case, AssessedField | 'status'>
  /** Fields that a person set: runs do not change them. */
  readonly decided: readonly AssessedField[]
  /** With the result of this run. */
  readonly assessments: readonly Assessment[]
  /** Source of this run. */
  readonly source: string
  /** Whether other runs of the case are active; matters for changes that close it. */
  readonly hasOtherRuns: boolean
}

export const closesCase = ({ status }: Pick<CaseChanges, 'status'>): boolean => status === 'closed'

/**
 * The effective changes of a run to a case: the most serious result of all runs counts, and a person's
 * decision stays. `kept`: sentences that explain why a field differs from the result of the run.
 */
export function assessedChanges(
  changes: CaseChanges,
  { before, decided, assessments, source, hasOtherRuns }: AssessedCase,
): { readonly changes: CaseEdit; readonly kept: readonly string[] } {
  const combined = combinedAssessment(assessments)
  const result: Record<string, string | undefined> = { ...changes }
  const kept: string[] = []
  for (const field of assessedFields) {
    const said = changes[field]
    if (said === undefined) continue
    if (decided.includes(field) && said !== before[field]) {
      delete result[field]
      kept.push(
        `${quotedField(field, before)} stays, because a person set it; this run says ${quotedValue(said)}`,
      )
    } else {
      result[field] = combined[field] ?? said
      if (field !== 'summary' && result[field] !== said)
        kept.push(`${field} ${said} of this run is less serious than another result`)
    }
  }
  if (closesCase(changes) && before.status !== 'closed') {
    const reason = whyOpen(assessments, source, hasOtherRuns)
    if (reason !== undefined) {
      delete result['status']
      kept.push(`the case stays ${before.status}: ${reason}`)
    }
  }
  return { changes: result, kept }
}

function whyOpen(
  assessments: readonly Assessment[],
  source: string,
  hasOtherRuns: boolean,
): string | undefined {
  if (hasOtherRuns) return 'other runs of the case are active'
  const grave = assessments.find(
    (each) => each.source !== source && (each.verdict === 'malicious' || each.verdict === 'suspicious'),
  )
  return grave && `${grave.name} is ${grave.verdict}`
}

const quotedField = (field: AssessedField, before: Pick<Case, AssessedField>): string =>
  field === 'summary' ? 'the summary' : `${field} ${before[field]}`

const quotedValue = (said: string): string => shortened(said, 2_000)

/** The fields that a person has decided about after an edit. */
export const decidedAfter = (before: readonly AssessedField[], edit: CaseEdit): readonly AssessedField[] =>
  assessedFields.filter((field) => before.includes(field) || edit[field] !== undefined)
