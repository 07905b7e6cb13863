import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../api/call.ts'
import type { Graph } from '../graph/graph-types.ts'
import type { Problem, Validation } from './playbook.ts'

interface Checked {
  /** Of the source as it was when it last rested; undefined before that. */
  readonly validation: Validation | undefined
  readonly problems: readonly Problem[]
  /** The last one that could be drawn. */
  readonly graph: Graph | undefined
  /** Whether the source as it is cannot be drawn. */
  readonly isGraphOld: boolean
  readonly error: unknown
}

/** So long nothing must be typed, in milliseconds: longer where a check takes long, so that most of the time none is under way. */
const quietMs = 250
const longestQuietMs = 3_000

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
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 60_000,
  })
  const { data: validation } = checked
  const [graph, setGraph] = useState<Graph>()
  useEffect(() => {
    if (validation?.graph) setGraph(validation.graph)
  }, [validation])
  return {
    validation,
    problems: validation?.problems ?? none,
    graph,
    isGraphOld: validation !== undefined && validation.graph === null,
    error: checked.error,
  }
}

const none: readonly Problem[] = []
