import { useQuery } from '@tanstack/react-query'
import { apiGet, type Query } from '../api/call.ts'
import { durationText } from '../parts/time.ts'
import type { Periods } from './series.ts'

export interface NumberTable<Row> extends Periods {
  readonly data: readonly Row[]
}

/** A table of numbers. A new range shows the old numbers until it has its own. */
export function useNumbers<Row>(table: string, query: Query) {
  return useQuery({
    queryKey: ['numbers', table, query],
    queryFn: ({ signal }) => apiGet<NumberTable<Row>>(`/numbers/${table}`, query, signal),
    placeholderData: (before) => before,
    staleTime: 30_000,
    refetchInterval: 60_000,
  })
}

export interface NumbersProps {
  readonly query: { readonly from: number; readonly to: number; readonly organization: string | undefined }
}

export const shownDuration = (ms: number | null): string => (ms === null ? '–' : durationText(ms))
