import type { CaseEvent } from '../domain/case.ts'
import type { AwaitedAlerts, AwaitedChanges, EventFilter } from '../ports/runs/event-wait-store.ts'

/** Changes of cases that a wait keeps until its run looks at them. */
export const maxKeptChanges = 1_000

export const changesLost = `more than ${maxKeptChanges} changes arrived before the run examined them`

/** The keys by which an event finds the waits that it may end. */
export function waitKeysOf(filter: EventFilter): readonly string[] {
  if (filter.kind === 'case') return [caseKey(filter.caseId)]
  return filter.types === null ? [alertKey(null)] : filter.types.map(alertKey)
}

/** Of alerts of a type, or of any. */
export const alertKey = (type: string | null): string => (type === null ? 'alert' : `alert:${type}`)

/** Of changes of a case, or of any. */
export const caseKey = (id: string | null): string => (id === null ? 'case' : `case:${id.toLowerCase()}`)

export const takesChange = ({ events }: AwaitedChanges, happened: readonly CaseEvent[]): boolean =>
  events === null || happened.some((event) => events.includes(event))

export const takesAlert = (
  { types, provider }: AwaitedAlerts,
  alert: { readonly type: string | null; readonly provider: string },
): boolean =>
  (types === null || (alert.type !== null && types.includes(alert.type))) &&
  (provider === null || provider.toLowerCase() === alert.provider.toLowerCase())
