import type { Actor } from '../../domain/audit.ts'
import { caseFieldNames, type Case, type CaseEvent } from '../../domain/case.ts'
import type { RunTrigger } from '../../domain/run.ts'
import { editableFields } from '../case.ts'

type CaseState = Pick<Case, 'id' | (typeof editableFields)[number]>

/** What happened to a case with a write; `before` is undefined for a new case. */
export function caseEventsOf(before: CaseState | undefined, after: CaseState): readonly CaseEvent[] {
  if (before === undefined) return after.status === 'closed' ? ['opened', 'closed'] : ['opened']
  const changed = (field: keyof CaseState): boolean => before[field] !== after[field]
  const events: readonly (readonly [CaseEvent, boolean])[] = [
    ['closed', changed('status') && after.status === 'closed'],
    ['reopened', changed('status') && before.status === 'closed'],
    ['status_changed', changed('status')],
    ['severity_changed', changed('severity')],
    ['verdict_changed', changed('verdict')],
    ['assignee_changed', changed('assignee')],
  ]
  return events.flatMap(([event, happened]) => (happened ? [event] : []))
}

const fieldsOf = (state: CaseState) =>
  Object.fromEntries(editableFields.map((field) => [caseFieldNames[field], state[field]] as const))

/** The `case` of expressions that see its current state. */
export const caseScope = (state: CaseState): Readonly<Record<string, unknown>> => ({
  id: state.id,
  ...fieldsOf(state),
})

/** The `trigger` of a run that a change of a case starts. */
export function caseTriggerOf(
  change: {
    readonly events: readonly CaseEvent[]
    readonly before: CaseState | undefined
    readonly after: CaseState
  },
  by: Pick<Actor, 'kind' | 'name'>,
  chain: readonly string[],
  at: number,
): RunTrigger {
  const { events, before, after } = change
  return {
    kind: 'case',
    at: new Date(at).toISOString(),
    chain,
    events,
    actor: { kind: by.kind, name: by.name },
    case: caseScope(after),
    before: before === undefined ? null : fieldsOf(before),
  }
}
