import type { Drawing } from './drawing.ts'

/** Position of a node in a column layout. */
export interface Cell {
  readonly row: number
  readonly column: number
}

/** The cells inside a frame, and the distance of the frame from them. */
interface FrameArea {
  readonly first: Cell
  readonly last: Cell
  readonly above: number
  readonly below: number
  readonly left: number
  readonly right: number
}

const padding = 12
/** Room for the title of a frame. */
const head = 16

/**
 * How much room frames need around the rows and columns that they begin and end with; frames in frames need
 * more.
 */
export function insetsOf({ nodes, frames }: Drawing, cells: ReadonlyMap<string, Cell>) {
  const inside = new Map<string, FrameArea[]>()
  const add = (frame: string | undefined, area: FrameArea) => {
    if (frame === undefined) return
    const parts = inside.get(frame)
    if (parts === undefined) inside.set(frame, [area])
    else parts.push(area)
  }
  const none = { above: 0, below: 0, left: 0, right: 0 }
  for (const { id, frame } of nodes) {
    const cell = cells.get(id)!
    add(frame, { first: cell, last: cell, ...none })
  }
  const areas = new Map<string, FrameArea>()
  const needed = { above: [] as number[], below: [] as number[], left: [] as number[], right: [] as number[] }
  // Outer frames come before inner ones.
  for (const { id, parent } of frames.toReversed()) {
    const parts = inside.get(id)
    if (parts === undefined) continue
    const area = around(parts)
    areas.set(id, area)
    add(parent, area)
    raise(needed.above, area.first.row, area.above)
    raise(needed.below, area.last.row, area.below)
    raise(needed.left, area.first.column, area.left)
    raise(needed.right, area.last.column, area.right)
  }
  return { ...needed, areas }
}

function around(parts: readonly FrameArea[]): FrameArea {
  const first = {
    row: Math.min(...parts.map((part) => part.first.row)),
    column: Math.min(...parts.map((part) => part.first.column)),
  }
  const last = {
    row: Math.max(...parts.map((part) => part.last.row)),
    column: Math.max(...parts.map((part) => part.last.column)),
  }
  const most = (side: 'above' | 'below' | 'left' | 'right', isAtEdge: (part: FrameArea) => boolean) =>
    Math.max(0, ...parts.filter(isAtEdge).map((part) => part[side]))
  return {
    first,
    last,
    above: most('above', (part) => part.first.row === first.row) + padding + head,
    below: most('below', (part) => part.last.row === last.row) + padding,
    left: most('left', (part) => part.first.column === first.column) + padding,
    right: most('right', (part) => part.last.column === last.column) + padding,
  }
}

function raise(lengths: number[], index: number, length: number): void {
  lengths[index] = Math.max(lengths[index] ?? 0, length)
}
