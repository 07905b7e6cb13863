import { edgeLabel, nodeBox, type EdgeLabel, type NodeBox } from './boxes.ts'
import type { Drawing, DrawnEdge } from './drawing.ts'
import { insetsOf, type Cell } from './frame-insets.ts'
import type { Layout, PlacedEdge, PlacedNode, Point } from './layout.ts'
import { ranksOf } from './ranks.ts'

const margin = 24
const rowGap = 34
const columnGap = 36

/**
 * Rows from top to bottom and a column per branch, in source order. Takes linear time for playbooks of any
 * size. Lines may cross.
 */
export function layOutInColumns(drawing: Drawing): Layout {
  const boxes = new Map(drawing.nodes.map((node) => [node.id, nodeBox(node)]))
  const cells = cellsOf(drawing)
  const insets = insetsOf(drawing, cells)
  const labels = new Map(drawing.edges.map((edge) => [edge, edgeLabel(edge)]))
  const headroom = labelHeights(drawing, cells, labels)
  const rows = inLine({
    lengths: largest(cells, boxes, ({ row }, { height }) => [row, height]),
    before: (row) => (insets.above[row] ?? 0) + (headroom[row] ?? 0),
    after: (row) => insets.below[row] ?? 0,
    gap: rowGap,
  })
  const columns = inLine({
    lengths: largest(cells, boxes, ({ column }, { width }) => [column, width]),
    before: (column) => insets.left[column] ?? 0,
    after: (column) => insets.right[column] ?? 0,
    gap: columnGap,
  })
  const nodes = drawing.nodes.map((node): PlacedNode => {
    const { row, column } = cells.get(node.id)!
    return { node, ...boxes.get(node.id)!, x: columns.middles[column]!, y: rows.middles[row]! }
  })
  const placed = new Map(nodes.map((node) => [node.node.id, node]))
  const frames = drawing.frames.flatMap((frame) => {
    const area = insets.areas.get(frame.id)
    if (area === undefined) return []
    const left = columns.starts[area.first.column]! - area.left
    const top = rows.starts[area.first.row]! - area.above
    const right = columns.ends[area.last.column]! + area.right
    const bottom = rows.ends[area.last.row]! + area.below
    return [
      { frame, x: (left + right) / 2, y: (top + bottom) / 2, width: right - left, height: bottom - top },
    ]
  })
  const edges = drawing.edges.map((edge): PlacedEdge => {
    const to = placed.get(edge.to)!
    const { row } = cells.get(edge.to)!
    const below = rows.starts[row]! - (insets.above[row] ?? 0)
    const points = bent(placed.get(edge.from)!, to, below - (headroom[row] ?? 0) - rowGap / 2)
    const label = labels.get(edge)
    return { edge, points, label: label && { ...label, x: to.x, y: below - label.height / 2 } }
  })
  return { width: Math.ceil(columns.length), height: Math.ceil(rows.length), nodes, frames, edges }
}

/**
 * The first branch continues in the column of its predecessor; each other branch is placed to the right of
 * everything beside it.
 */
function cellsOf(drawing: Drawing): ReadonlyMap<string, Cell> {
  const ranks = ranksOf(drawing)
  const cameFrom = new Map(drawing.edges.toReversed().map(({ from, to }) => [to, from]))
  const cells = new Map<string, Cell>()
  /** The last occupied row of each column. */
  const taken: number[] = []
  for (const { id } of drawing.nodes) {
    const row = ranks.get(id) ?? 0
    let column = cells.get(cameFrom.get(id) ?? '')?.column ?? 0
    while ((taken[column] ?? -1) >= row) column++
    taken[column] = row
    cells.set(id, { row, column })
  }
  return cells
}

function largest(
  cells: ReadonlyMap<string, Cell>,
  boxes: ReadonlyMap<string, NodeBox>,
  read: (cell: Cell, box: NodeBox) => readonly [index: number, length: number],
): readonly number[] {
  const lengths: number[] = []
  for (const [id, cell] of cells) {
    const [index, length] = read(cell, boxes.get(id)!)
    lengths[index] = Math.max(lengths[index] ?? 0, length)
  }
  return lengths
}

/** Height of the labels above each row. */
function labelHeights(
  { edges }: Drawing,
  cells: ReadonlyMap<string, Cell>,
  labels: ReadonlyMap<DrawnEdge, EdgeLabel | undefined>,
): readonly number[] {
  const heights: number[] = []
  for (const edge of edges) {
    const row = cells.get(edge.to)?.row ?? 0
    heights[row] = Math.max(heights[row] ?? 0, labels.get(edge)?.height ?? 0)
  }
  return heights
}

interface Line {
  readonly lengths: readonly number[]
  readonly before: (index: number) => number
  readonly after: (index: number) => number
  readonly gap: number
}

/** Positions of consecutive rows or columns. */
function inLine({ lengths, before, after, gap }: Line) {
  const starts: number[] = []
  const ends: number[] = []
  let at = margin
  for (const [index, length] of lengths.entries()) {
    const start = at + before(index)
    starts.push(start)
    ends.push(start + length)
    at = start + length + after(index) + gap
  }
  const middles = starts.map((start, index) => (start + ends[index]!) / 2)
  return { starts, ends, middles, length: at - gap + margin }
}

/** Goes down to just above the target row, then across, then down. */
function bent(from: PlacedNode, to: PlacedNode, across: number): readonly Point[] {
  const start = { x: from.x, y: from.y + from.height / 2 }
  const end = { x: to.x, y: to.y - to.height / 2 }
  return from.x === to.x ? [start, end] : [start, { x: from.x, y: across }, { x: to.x, y: across }, end]
}
