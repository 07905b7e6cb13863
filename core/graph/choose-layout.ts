import type { Drawing, Frame } from './drawing.ts'
import { ranksOf } from './ranks.ts'
import { layOutInColumns } from './column-layout.ts'
import { layOutInLayers } from './layered-layout.ts'
import type { Layout } from './layout.ts'

/** Layers with few crossings if dagre finds them quickly, as for usual playbooks; else columns. */
export function layOut(drawing: Drawing): Layout {
  return isCheapToLayer(drawing) ? layOutInLayers(drawing) : layOutInColumns(drawing)
}

/** Above this cost, dagre would block other tasks for more than about a quarter of a second. */
const maxCost = 4_000

/** dagre recurses once per node. */
const maxNodes = 600

/**
 * Whether dagre can lay out the drawing quickly. It splits each edge at every row, adds rows for nested
 * frames, and compares frames with each other.
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

/** Nesting depth of the frames; outer frames come first. */
function depthOf(frames: readonly Frame[]): number {
  const depths = new Map<string, number>()
  for (const { id, parent } of frames)
    depths.set(id, 1 + (parent === undefined ? 0 : (depths.get(parent) ?? 0)))
  return Math.max(0, ...depths.values())
}
