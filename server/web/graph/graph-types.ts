/** A picture of a playbook, as `GET playbooks/{playbook}/graph` answers it: all with places in pixels, `x` and `y` of boxes their middle. */
export interface Graph {
  readonly width: number
  readonly height: number
  readonly nodes: readonly GraphNode[]
  readonly frames: readonly (Box & { readonly id: string; readonly title: string })[]
  readonly edges: readonly GraphEdge[]
}

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface GraphNode extends Box {
  /** The path of the step, as in the steps of a run without items and times. */
  readonly id: string
  readonly shape: 'start' | 'end' | 'card' | 'pill' | 'gate' | 'fork' | 'join'
  readonly kind: string
  readonly title: string
  readonly notes: readonly { readonly kind: string; readonly text: string }[]
  readonly is_repeated: boolean
  readonly line: number | null
}

interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly kind: 'sequence' | 'branch' | 'join' | 'error' | 'finally'
  readonly label: string | null
  readonly points: readonly { readonly x: number; readonly y: number }[]
}
