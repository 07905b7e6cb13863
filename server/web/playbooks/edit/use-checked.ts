import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { problemOf } from '../../api/problem.ts'
import type { Graph } from '../../graph/graph-types.ts'
import type { Problem, Validation } from '../playbook.ts'

interface Checked {
  /** Of the source as it is; undefined until it has been checked. */
  readonly validation: Validation | undefined
  /** Of the source as it is, or until it has been checked as it was before: they stay at their places while somebody types. */
  readonly problems: readonly Problem[]
  /** The last one that could be drawn. */
  readonly graph: Graph | undefined
  /** Whether the source as it is cannot be drawn. */
  readonly isGraphOld: boolean
  /** Why it could not be checked; null where it could, or that is not known yet. */
  readonly error: unknown
  readonly checkAgain: () => void
}

/** So long nothing must be typed, in milliseconds: longer where a check takes long, so that most of the time none is under way. */
const quietMs = 250
const longestQuietMs = 3_000

/** So long after a failure the check is tried again, in milliseconds: longer each time. */
const againMs = (failures: number): number => Math.min(5_000, 500 * 2 ** failures)

/** What did not arrive, or could not be answered just now, may be the next time; a refusal stays one. */
function isPassing(error: unknown): boolean {
  const { status } = problemOf(error)
  return status === 0 || status === 429 || status >= 500
}

/** What `tocsin validate` says about the source, each time it has rested for a moment. */
export function useChecked(source: string): Checked {
  const took = useRef(0)
  const [settled] = useDebouncedValue(source, Math.min(longestQuietMs, Math.max(quietMs, 2 * took.current)))
  const checked = useQuery({
    queryKey: ['validate', settled],
    async queryFn({ signal }) {
      const from = performance.now()
      const answer = await call<Validation>('POST', '/playbooks/validate', {
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
  const [graph, setGraph] = useState<Graph>()
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

const none: readonly Problem[] = []
