import { caseStatuses, closingReasons, severities, verdicts } from '../../../../core/plugin/index.ts'
import type { CaseFilter } from '../../../../core/ports/case-store.ts'
import type { Caller } from '../../caller/caller.ts'
import type { Services } from '../../routing/route.ts'
import { personFields, personFilter } from './assigned.ts'
import { observableParameter, readObservable } from '../observables/observable-parameter.ts'
import { epochMs, flag } from '../system/page.ts'

const assignee = {
  ...personFields.name,
  description:
    'Name or e-mail address of a person who may act on the case, or `me`; any other text stays a text. Null: unassigned.',
} as const

/** Decisions about a case in a request. */
export const decisionFields = {
  status: { type: 'string', enum: caseStatuses },
  severity: { type: 'string', enum: severities },
  verdict: { type: 'string', enum: verdicts },
  assignee,
  assignee_id: personFields.id,
  closing_reason: {
    type: ['string', 'null'],
    enum: [...closingReasons, null],
    description: 'Why a closed case was closed. Reopening a case removes it.',
  },
  resolution: {
    type: 'string',
    maxLength: 10_000,
    description: 'What was done about a closed case; plain text. Reopening a case removes it.',
  },
} as const

/** Filters of a list of cases. */
export const caseFilters = {
  organization: { type: 'string', description: 'Code of an organization.' },
  status: { type: 'string', enum: caseStatuses },
  active: { ...flag, description: '`true`: only cases that are not closed.' },
  severity: { type: 'string', enum: severities },
  verdict: { type: 'string', enum: verdicts },
  observable: observableParameter,
  closing_reason: { type: 'string', enum: closingReasons },
  assignee: {
    type: 'string',
    maxLength: 200,
    description: 'Exactly this assignee; `me`: the requester; empty: unassigned.',
  },
  assignee_state: {
    type: 'string',
    enum: ['disabled'],
    description: '`disabled`: only cases of people who are disabled and of revoked API keys.',
  },
  unassigned: { ...flag, description: '`true`: only cases without an assignee.' },
  sla: {
    type: 'string',
    enum: ['overdue', 'missed'],
    description:
      '`overdue`: cases whose next target of response times is over; `missed`: these, and cases that missed a target before.',
  },
  q: {
    type: 'string',
    minLength: 1,
    maxLength: 200,
    description: 'Text in the title or the summary, ignoring case (A to Z).',
  },
  created_after: { ...epochMs, description: 'Opened at this time or later (epoch milliseconds).' },
  created_before: { ...epochMs, description: 'Opened before this time (epoch milliseconds).' },
} as const

export type FilterValues = {
  readonly [Name in Exclude<keyof typeof caseFilters, 'created_after' | 'created_before'>]?:
    string | undefined
} & { readonly created_after?: number | undefined; readonly created_before?: number | undefined }

/** Throws RequestError for an unknown organization. */
export async function caseFilterOf(
  given: FilterValues,
  { scope, actor }: Pick<Caller, 'scope' | 'actor'>,
  { directory, clock }: Pick<Services, 'directory' | 'clock'>,
  pointer = '/organization',
): Promise<CaseFilter> {
  const organization =
    given.organization === undefined
      ? undefined
      : await directory.organization(scope, given.organization, pointer)
  const person = personFilter(given.assignee, actor)
  return {
    organization: organization?.code,
    status: given.status as CaseFilter['status'],
    isActive: given.active === 'true' || undefined,
    severity: given.severity as CaseFilter['severity'],
    verdict: given.verdict as CaseFilter['verdict'],
    closingReason: given.closing_reason as CaseFilter['closingReason'],
    assignee: given.unassigned === 'true' ? null : person.name,
    assigneeId: person.id,
    hasDisabledAssignee: given.assignee_state === 'disabled' || undefined,
    overdueAt: given.sla === 'overdue' ? clock.now() : undefined,
    missedAt: given.sla === 'missed' ? clock.now() : undefined,
    text: given.q,
    observable: readObservable(given.observable),
    createdAfter: given.created_after,
    createdBefore: given.created_before,
  }
}
