import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { get } from '../../api/call.ts'
import type { RunDetail } from '../../api/types.ts'
import type { Graph } from '../../graph/graph-types.ts'
import { nodeOf } from '../waterfall/node-marks.ts'
import { calledVersions, stepPlace, type StepPlace } from './step-place.ts'

/**
 * Where steps of a run stand, also those of playbooks that it called; undefined until that is known.
 *
 * @param graph of the playbook of the run
 * @param paths of the steps
 */
export function useStepPlaces(
  { playbook_hash: own, steps }: RunDetail,
  graph: Graph | undefined,
  paths: readonly (string | null | undefined)[],
): readonly (StepPlace | undefined)[] {
  const versions = useMemo(() => calledVersions(steps), [steps])
  const ids = useMemo(() => graph && new Set(graph.nodes.map(({ id }) => id)), [graph])
  const isCalled = ids !== undefined && paths.some((path) => path && !ids.has(nodeOf(path)))
  const hashes = isCalled ? [...new Set(versions.values())] : []
  const called = useQueries({
    queries: hashes.map((hash) => ({
      queryKey: ['graph', hash],
      queryFn: () => get<Graph>(`/playbooks/${hash}/graph`),
      staleTime: Infinity,
    })),
  })
  const graphs = new Map<string, Graph>(graph && [[own, graph]])
  for (const [index, { data }] of called.entries()) if (data) graphs.set(hashes[index] ?? '', data)
  return paths.map((path) => (path ? stepPlace(path, { playbook: own }, graphs, versions) : undefined))
}
