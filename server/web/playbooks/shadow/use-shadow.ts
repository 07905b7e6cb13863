import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Infer } from '../../../../core/plugin/index.ts'
import type { apiPlaybookSchema } from '../../../http/resources/playbooks/playbook-view.ts'
import type {
  shadowAlertSchema,
  shadowReportSchema,
  shadowRowSchema,
} from '../../../http/resources/shadows/shadow-view.ts'
import type { ShadowOutcome } from '../../../../core/shadow/shadow-result.ts'
import { apiCall, apiGet } from '../../api/call.ts'
import type { ApiPage } from '../../api/types.ts'
import { serverTime } from '../../parts/time.ts'
import type { ApiRunSide } from '../backtest/use-backtest.ts'

export type ApiShadowReport = Infer<typeof shadowReportSchema>
export type ApiShadowRow = Infer<typeof shadowRowSchema>

type AnyAlert = Infer<typeof shadowAlertSchema>
export interface ApiShadowAlert extends Omit<AnyAlert, 'before' | 'after'> {
  readonly before: ApiRunSide | null
  readonly after: ApiRunSide | null
}

/** While alerts wait. */
const pollMs = 2_000
const dayMs = 86_400_000
const pathOf = (name: string): string => `/playbooks/${encodeURIComponent(name)}/shadow`

/** The report of a shadow over the last days. */
export const useShadowReport = (name: string, days: number) =>
  useQuery({
    queryKey: ['shadow', name, 'report', days],
    queryFn: () =>
      apiGet<ApiShadowReport>(pathOf(name), { created_after: Math.max(0, serverTime() - days * dayMs) }),
    refetchInterval: ({ state }) => ((state.data?.waiting ?? 0) > 0 ? pollMs : false),
  })

/** The alerts with this outcome, newest first. `judged`: reads them again when this number changes. */
export const useShadowAlerts = (name: string, days: number, outcome: ShadowOutcome, judged: number) =>
  useInfiniteQuery({
    queryKey: ['shadow', name, 'alerts', days, outcome, judged],
    queryFn: ({ pageParam: cursor }) =>
      apiGet<ApiPage<ApiShadowRow>>(`${pathOf(name)}/alerts`, {
        created_after: Math.max(0, serverTime() - days * dayMs),
        outcome,
        limit: 20,
        cursor,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })

/** `judgedAt`: a later judgement is read again. */
export const useShadowAlert = (name: string, alert: string, judgedAt: number | null) =>
  useQuery({
    queryKey: ['shadow', name, 'alert', alert, judgedAt],
    queryFn: () => apiGet<ApiShadowAlert>(`${pathOf(name)}/alerts/${encodeURIComponent(alert)}`),
    staleTime: Infinity,
  })

/** Makes the shadow live, as seen in this report. */
export function usePromotion(report: ApiShadowReport, onDone: (name: string) => void) {
  const client = useQueryClient()
  const { playbook, hash, beside_hash: besideHash, created_after: after, created_before: before } = report
  return useMutation({
    mutationFn: () =>
      apiCall<Infer<typeof apiPlaybookSchema>>('POST', `${pathOf(playbook)}/promote`, {
        body: { hash, beside_hash: besideHash, created_after: after, created_before: before },
      }),
    async onSuccess({ name }) {
      onDone(name)
      await client.invalidateQueries({ queryKey: ['playbook'] })
    },
  })
}
