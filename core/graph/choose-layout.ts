import type { Drawing, Frame } from './drawing.ts'
import { ranksOf } from './ranks.ts'
import { layOutInColumns } from './column-layout.ts'
import { layOutInLayers } from './layered-layout.ts'
import type { Layout } from './layout.ts'

/** With few crossings where that is soon found, which is so for playbooks that people write; else in columns. */
export function layOut(drawing: Drawing): Layout {
  return isCheapToLayer(drawing) ? layOutInLayers(drawing) : layOutInColumns(drawing)
}

/** Beyond it dagre takes longer than others may have to wait for their turn: about a quarter of a second. */
const maxCost = 4_000

/** It recurses, a call for each. */
const maxNodes = 600

/**
 * Whether dagre lays a drawing out in short time. It splits each edge at each row, has so many rows more for each frame that stands
 * in another one, and compares frames with each other.
 */
function isCheapToLayer(drawing: Drawing): boolean {
  const { nodes, edges, frames } = drawing
  if (nodes.length > maxNodes) return false
  const ranks = ranksOf(drawing)
  const rowsForEach = 2 * depthOf(frames) + 1
  const spans = edges.map(({ from, to }) => (ranks.get(to) ?? 0) - (ranks.get(from) ?? 0))
  const parts = rowsForEach * spans.reduce((sum, span) => sum + Math.abs(span), 0)
  return nodes.length + parts + frames.length ** 2 <= maxCost
}

/** How deep frames stand in frames; outer ones come first. */
function depthOf(frames: readonly Frame[]): number {
  const depths = new Map<string, number>()
  for (const { id, parent } of frames)
    depths.set(id, 1 + (parent === undefined ? 0 : (depths.get(parent) ?? 0)))
  return Math.max(0, ...depths.values())
}
