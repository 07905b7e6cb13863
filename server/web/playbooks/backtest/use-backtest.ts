import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { BacktestRow, BacktestView } from '../../../../core/backtest/backtest-view.ts'
import type { comparedRunsView } from '../../../http/resources/playbooks/backtest-view.ts'
import { apiCall, apiGet } from '../../api/call.ts'
import { isUnanswered } from '../../api/problem.ts'
import { serverTime } from '../../parts/time.ts'

export type ApiBacktest = BacktestView
export type ApiBacktestRow = BacktestRow
export type ApiComparedRuns = ReturnType<typeof comparedRunsView>
export type ApiRunSide = NonNullable<ApiComparedRuns['before']>

export interface BacktestForm {
  readonly organization: string | undefined
  readonly days: number
  readonly newInput: string
}

const pollMs = 1_000
/** After an error: the node of the backtest may come back. */
const slowPollMs = 10_000
const dayMs = 86_400_000

/** The latest backtest of a playbook, also after the page was reloaded. */
export function useBacktest(name: string) {
  const client = useQueryClient()
  const [chosen, setChosen] = useState<string>()
  const latest = useQuery({
    queryKey: ['backtests', name],
    queryFn: () =>
      apiGet<{ readonly data: readonly ApiBacktest[] }>(`/playbooks/${encodeURIComponent(name)}/backtests`),
  })
  const id = chosen ?? latest.data?.data[0]?.backtest_id
  const progress = useQuery({
    queryKey: ['backtest', id, 'progress'],
    queryFn: () => apiGet<ApiBacktest>(`/backtests/${id}`, { rows: false }),
    enabled: id !== undefined,
    refetchInterval({ state }) {
      if (state.data?.status !== 'running') return false
      return state.error === null || isUnanswered(state.error) ? pollMs : slowPollMs
    },
  })
  const { status, done } = progress.data ?? {}
  // The node that ran it is gone, and its progress with it.
  const isLost = status === 'running' && progress.error !== null && !isUnanswered(progress.error)
  const result = useQuery({
    queryKey: ['backtest', id, 'rows', status, done],
    queryFn: () => apiGet<ApiBacktest>(`/backtests/${id}`),
    enabled: status !== undefined && status !== 'running',
  })
  const act = useMutation({
    mutationFn: (action: 'cancel' | 'resume') => apiCall<ApiBacktest>('POST', `/backtests/${id}/${action}`),
    onSettled: () => client.invalidateQueries({ queryKey: ['backtest', id, 'progress'] }),
  })
  const start = useMutation({
    mutationFn: ({ source, organization, days, newInput }: BacktestForm & { readonly source: string }) =>
      apiCall<ApiBacktest>('POST', `/playbooks/${encodeURIComponent(name)}/backtests`, {
        body: {
          organization_code: organization,
          source,
          created_after: serverTime() - days * dayMs,
          new_input: newInput,
        },
      }),
    onSuccess: ({ backtest_id: started }) => setChosen(started),
  })
  return {
    id,
    progress: isLost ? undefined : progress.data,
    result: result.data,
    error: progress.error ?? result.error,
    start,
    act,
  }
}

/** Both runs of an alert; replayed by the server when they are opened. */
export const useComparedRuns = (backtest: string, run: string, isOpen: boolean) =>
  useQuery({
    queryKey: ['backtest', backtest, 'run', run],
    queryFn: ({ signal }) => apiGet<ApiComparedRuns>(`/backtests/${backtest}/runs/${run}`, {}, signal),
    enabled: isOpen,
    staleTime: Infinity,
  })
