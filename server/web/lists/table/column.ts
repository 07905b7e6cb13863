import type { ReactNode } from 'react'

export interface Column<Row> {
  readonly title: string
  /** Width as a track of a CSS grid, e.g. `minmax(120px, 1fr)`. */
  readonly width: string
  /** Name by which the API sorts it. */
  readonly sort?: string
  /** Numbers stand below each other, at the end. */
  readonly isNumber?: boolean
  /** Left out where the page is narrower than 62em. */
  readonly isExtra?: boolean
  readonly cell: (row: Row) => ReactNode
}
