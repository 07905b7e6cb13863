import { useQuery } from '@tanstack/react-query'
import { get } from '../../api/call.ts'
import type { RunStatus } from '../../api/types.ts'
import type { StartedOn } from '../playbook.ts'

/** What `GET playbooks/{playbook}/results` answers. */
export interface PlaybookResults {
  /** Null where the playbook no longer fits the installed skills. */
  readonly on: StartedOn | null
  /** Alerts that began a run. */
  readonly alerts_7d: number
  readonly alerts_30d: number
  /** How far the counts reach back. */
  readonly since: number
  /** Of the newest 100 runs those that completed or failed, and of these those that failed. */
  readonly judged: number
  readonly failed: number
  /** Newest first. */
  readonly last_runs: readonly ResultRun[]
}

export interface ResultRun {
  readonly run_uuid: string
  readonly status: RunStatus
  readonly created_at: number
  readonly ended_at: number | null
}

const freshMs = 30_000

/** What a playbook covers and what became of it; looked at again now and then while it is shown. */
export function useResults(name: string): PlaybookResults | undefined {
  return useQuery({
    queryKey: ['results of playbook', name],
    queryFn: ({ signal }) =>
      get<PlaybookResults>(`/playbooks/${encodeURIComponent(name)}/results`, undefined, signal),
    staleTime: freshMs,
    refetchInterval: freshMs,
  }).data
}
