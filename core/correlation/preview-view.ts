import type { PreviewOutcome } from './preview.ts'
import type { Counted, Merge, PastAlert } from './simulate.ts'

export type PreviewView = ReturnType<typeof previewView>

/** A preview as JSON, in the API and the command line. */
export const previewView = ({ merges, skipped, warnings, endedAt, ...rest }: PreviewOutcome) => ({
  alerts: rest.alerts,
  applicable: rest.applicable,
  joined: rest.joined,
  cases_before: rest.casesBefore,
  cases_after: rest.casesAfter,
  merges: merges.map(mergeView),
  skipped: skipped.map(countedView),
  failures: rest.failures,
  warnings,
  ended_at: endedAt,
})

const mergeView = ({ alerts, casesBefore, firstAt, lastAt, isFull, reasons, samples }: Merge) => ({
  alerts,
  cases_before: casesBefore,
  first_at: firstAt,
  last_at: lastAt,
  is_full: isFull,
  reasons: reasons.map(countedView),
  samples: samples.map(sampleView),
})

const countedView = ({ text: said, count: times }: Counted) => ({ text: said, count: times })

const sampleView = ({ id, title, type, caseId }: PastAlert) => ({
  alert_id: id,
  title,
  alert_type: type,
  case_id: caseId,
})
