import { queryNow } from '../../lists/rows/since.ts'
import { isRange, type TimeRange } from '../../lists/filters/time-range.ts'
import type { FailedFilter } from '../retry/many-retries.ts'

type Filters = TimeRange & Readonly<Partial<Record<string, string>>>

/** What all failed runs that a list shows have in common, as the API takes it; undefined where it cannot be told just that. */
export function failedFilter(filters: Filters, now: number): FailedFilter | undefined {
  const { status, playbook, error, sort: _, since, created_after, created_before, ...others } = filters
  const times = { since, created_after, created_before }
  if (status !== 'failed' || playbook === undefined || Object.keys(others).length > 0) return undefined
  if (!isRange(times)) return undefined
  const { created_after: from, created_before: to } = queryNow(times, now)
  return {
    playbook,
    ...(error !== undefined && { error }),
    ...(from !== undefined && { created_after: Number(from) }),
    ...(to !== undefined && { created_before: Number(to) }),
  }
}
