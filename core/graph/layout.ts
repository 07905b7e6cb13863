import type { DrawnEdge, DrawnNode, Frame } from './drawing.ts'
import type { EdgeLabel, NodeBox } from './boxes.ts'

export interface Point {
  readonly x: number
  readonly y: number
}

/** All elements with positions in pixels from the upper left corner. */
export interface Layout {
  readonly width: number
  readonly height: number
  readonly nodes: readonly PlacedNode[]
  readonly frames: readonly PlacedFrame[]
  readonly edges: readonly PlacedEdge[]
}

/** `x` and `y` are the center of the box. */
export interface PlacedNode extends Point, NodeBox {
  readonly node: DrawnNode
}

export interface PlacedFrame extends Point {
  readonly frame: Frame
  readonly width: number
  readonly height: number
}

export interface PlacedEdge {
  readonly edge: DrawnEdge
  readonly points: readonly Point[]
  /** `x` and `y` are its center. */
  readonly label: (EdgeLabel & Point) | undefined
}
