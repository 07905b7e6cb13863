import { Graph, layout as runDagre } from '@dagrejs/dagre'
import type { Drawing } from './drawing.ts'
import { edgeLabel, nodeBox, type EdgeLabel, type NodeBox } from './boxes.ts'
import type { Layout, Point } from './layout.ts'

const margin = 24
/** Room for the title of a frame. */
const frameHead = 16

/** Layers from top to bottom, with the fewest crossings that dagre finds. */
export function layOutInLayers(drawing: Drawing): Layout {
  const graph = new Graph({ compound: true, multigraph: true })
  graph.setGraph({ rankdir: 'TB', nodesep: 36, ranksep: 34, edgesep: 24, marginx: margin, marginy: margin })
  const boxes = new Map(drawing.nodes.map((node) => [node.id, nodeBox(node)]))
  for (const node of drawing.nodes) {
    const { width, height } = boxes.get(node.id)!
    graph.setNode(nodeName(node.id), { width, height })
  }
  for (const frame of drawing.frames) graph.setNode(frameName(frame.id), {})
  for (const { id, frame } of drawing.nodes) if (frame) graph.setParent(nodeName(id), frameName(frame))
  for (const { id, parent } of drawing.frames) if (parent) graph.setParent(frameName(id), frameName(parent))
  const labels = drawing.edges.map(edgeLabel)
  for (const [index, { from, to, kind }] of drawing.edges.entries()) {
    const label = labels[index]
    // Prefers straight lines for the main path over those for errors and `finally`.
    const weight = kind === 'finally' || kind === 'error' ? 1 : 2
    const size =
      label === undefined ? {} : { width: label.width, height: label.height + 4, labelpos: 'c' as const }
    graph.setEdge(nodeName(from), nodeName(to), { weight, ...size }, String(index))
  }
  runDagre(graph)
  return inReadingOrder(collect(graph, drawing, boxes, labels), drawing)
}

function collect(
  graph: Graph,
  drawing: Drawing,
  boxes: ReadonlyMap<string, NodeBox>,
  labels: readonly (EdgeLabel | undefined)[],
): Layout {
  const at = (name: string) => graph.node(name) as Point & { width: number; height: number }
  const frames = drawing.frames.map((frame) => {
    const { x, y, width, height } = at(frameName(frame.id))
    return { frame, x, y: y - frameHead / 2, width, height: height + frameHead }
  })
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number }
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    nodes: drawing.nodes.map((node) => {
      const { x, y } = at(nodeName(node.id))
      return { node, ...boxes.get(node.id)!, x, y }
    }),
    frames,
    edges: drawing.edges.map((edge, index) => {
      const placed = graph.edge(nodeName(edge.from), nodeName(edge.to), String(index)) as Partial<Point> & {
        points: Point[]
      }
      const label = labels[index]
      const { x = 0, y = 0 } = placed
      return { edge, points: placed.points, label: label && { ...label, x, y } }
    }),
  }
}

/**
 * Branches should be in source order from left to right. Forcing dagre causes crossings, so the picture is
 * mirrored if most branches are reversed.
 */
function inReadingOrder(layout: Layout, { edges }: Drawing): Layout {
  const middles = new Map(layout.nodes.map(({ node, x }) => [node.id, x]))
  const ways = Map.groupBy(
    edges.filter(({ kind }) => kind === 'branch'),
    ({ from }) => from,
  )
  let inOrder = 0
  for (const branches of ways.values()) {
    for (const [index, { to }] of branches.slice(1).entries()) {
      inOrder += Math.sign(middles.get(to)! - middles.get(branches[index]!.to)!)
    }
  }
  if (inOrder >= 0) return layout
  const turned = <P extends Point>(point: P): P => ({ ...point, x: layout.width - point.x })
  return {
    ...layout,
    nodes: layout.nodes.map(turned),
    frames: layout.frames.map(turned),
    edges: layout.edges.map(({ edge, points, label }) => ({
      edge,
      points: points.map(turned),
      label: label && turned(label),
    })),
  }
}

// Step ids are chosen by authors. The prefixes exclude `__proto__` and separate nodes from frames.
const nodeName = (id: string): string => `n:${id}`
const frameName = (id: string): string => `f:${id}`
