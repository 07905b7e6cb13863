import type { Drawing } from './drawing.ts'

/** The row of each node: below all its predecessors. Nodes are in source order, and edges point forward. */
export function ranksOf({ nodes, edges }: Drawing): ReadonlyMap<string, number> {
  const into = Map.groupBy(edges, ({ to }) => to)
  const ranks = new Map<string, number>()
  for (const { id } of nodes) {
    let rank = 0
    for (const { from } of into.get(id) ?? []) rank = Math.max(rank, (ranks.get(from) ?? -1) + 1)
    ranks.set(id, rank)
  }
  return ranks
}
