import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { apiCall } from '../../api/call.ts'
import { apiProblem } from '../../api/problem.ts'
import type { Validation, EditorProblem, ApiGraph } from '../../api/types.ts'

interface Checked {
  /** Of the current text; undefined while checking. */
  readonly validation: Validation | undefined
  /** Of the current text, or of the previous one while checking. */
  readonly problems: readonly EditorProblem[]
  /** The last valid graph. */
  readonly graph: ApiGraph | undefined
  /** The current text has no graph. */
  readonly isGraphOld: boolean
  /** Why validation failed; null otherwise. */
  readonly error: unknown
  readonly checkAgain: () => void
}

/** Pause in typing before validation; longer if it takes long. */
const quietMs = 250
const longestQuietMs = 3_000

/** Delay before a retry; longer each time. */
const againMs = (failures: number): number => Math.min(5_000, 500 * 2 ** failures)

/** Errors that a retry can fix. */
function isPassing(error: unknown): boolean {
  const { status } = apiProblem(error)
  return status === 0 || status === 429 || status >= 500
}

/** Validates the text after each pause in typing. */
export function useValidation(source: string): Checked {
  const took = useRef(0)
  const [settled] = useDebouncedValue(source, Math.min(longestQuietMs, Math.max(quietMs, 2 * took.current)))
  const checked = useQuery({
    queryKey: ['validate', settled],
    async queryFn({ signal }) {
      const from = performance.now()
      const answer = await apiCall<Validation>('POST', '/playbooks/validate', {
        body: { source: settled },
        signal,
      })
      took.current = performance.now() - from
      return answer
    },
    retry: (_failures, error) => isPassing(error),
    retryDelay: againMs,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 60_000,
  })
  const { data: latest } = checked
  const validation = settled === source && !checked.isPlaceholderData ? latest : undefined
  const [graph, setGraph] = useState<ApiGraph>()
  useEffect(() => {
    if (latest?.graph) setGraph(latest.graph)
  }, [latest])
  return {
    validation,
    problems: latest?.problems ?? none,
    graph,
    isGraphOld: latest !== undefined && latest.graph === null,
    error: validation === undefined ? checked.failureReason : null,
    checkAgain: () => void checked.refetch(),
  }
}

const none: readonly EditorProblem[] = []
