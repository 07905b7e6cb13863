/** The elements of a playbook's picture: the step graph, with groups as frames instead of nodes. */

import type { GraphEdge, GraphNode, StepGraph } from '../playbook/language/step-graph.ts'

export interface Drawing {
  readonly nodes: readonly DrawnNode[]
  readonly frames: readonly Frame[]
  readonly edges: readonly DrawnEdge[]
}

export interface DrawnNode {
  readonly id: string
  /**
   * `card` a step, `gate` a decision, `fork` where branches part, `join` where they merge, `pill` an end
   * of
   * the run.
   */
  readonly shape: 'start' | 'end' | 'card' | 'pill' | 'gate' | 'fork' | 'join'
  readonly kind: GraphNode['kind']
  readonly title: string
  /** For people, also if it has no title. */
  readonly name: string
  /** Below the title: the skill, the item of foreach, the rate, the time until an undo, the condition. */
  readonly notes: readonly Note[]
  /** Runs once for each item. */
  readonly isRepeated: boolean
  readonly frame: string | undefined
  readonly line: number | undefined
}

export interface Note {
  readonly kind: 'skill' | 'detail' | 'item' | 'condition'
  readonly text: string
}

export interface Frame {
  readonly id: string
  readonly title: string
  readonly parent: string | undefined
}

export type DrawnEdge = GraphEdge

/** Frames of the playbook's top-level lists of steps, by id prefix. */
const topFrames = new Map([
  ['@finally', 'finally'],
  ['@on_error', 'on error'],
])

/** With more steps that end the run, their lines to the end would cover the picture. */
const maxEndings = 12

/** Decides which elements are drawn and in which frames, but not their positions. */
export function toDrawing(whole: StepGraph): Drawing {
  const graph = withFewEndings(whole)
  const framed = framedIds(graph)
  const frames: Frame[] = []
  for (const [id, title] of topFrames) {
    if (graph.nodes.some((node) => topFrameOf(node) === id)) frames.push({ id, title, parent: undefined })
  }
  const byId = new Map(graph.nodes.map((node) => [node.id, node]))
  /**
   * The innermost frame around a node: steps of `on_error` and of a switch are in the frame of their step.
   */
  const frameOf = (node: GraphNode): string | undefined => {
    if (node.parent === undefined) return topFrameOf(node)
    if (framed.has(node.parent) && !isHandler(node)) return node.parent
    const parent = byId.get(node.parent)
    return parent && frameOf(parent)
  }
  const waysFrom = Map.groupBy(graph.edges, ({ from }) => from)
  const nodes: DrawnNode[] = []
  for (const node of graph.nodes) {
    const isFramed = framed.has(node.id)
    if (isFramed) frames.push({ id: node.id, title: frameTitle(node), parent: frameOf(node) })
    if (!isFramed || !isTransparent(node, waysFrom.get(node.id))) {
      nodes.push(draw(node, isFramed ? node.id : frameOf(node)))
    }
  }
  return { nodes, frames, edges: joinThrough(graph, framed, waysFrom) }
}

/** The graph without the lines from `return` and `fail` to the end, if there are too many. */
function withFewEndings(graph: StepGraph): StepGraph {
  const ending = new Set(
    graph.nodes.filter(({ kind }) => kind === 'return' || kind === 'fail').map(({ id }) => id),
  )
  const isToEnd = ({ from, to, kind }: GraphEdge) => ending.has(from) && (to === '@end' || kind === 'finally')
  const toEnd = graph.edges.filter(isToEnd)
  if (toEnd.length <= maxEndings) return graph
  return { nodes: graph.nodes, edges: graph.edges.filter((edge) => !isToEnd(edge)) }
}

function topFrameOf({ id }: GraphNode): string | undefined {
  const [first = ''] = id.split('/', 1)
  return topFrames.has(first) ? first : undefined
}

/** Whether the node belongs to the `on_error` of its parent, rather than to what the parent does. */
const isHandler = ({ id, parent }: GraphNode): boolean => id.startsWith(`${parent}/@on_error/`)

/** Groups with something inside; a switch is a gate instead, unless it goes through items. */
function framedIds({ nodes }: StepGraph): ReadonlySet<string> {
  const parents = new Set(
    nodes.filter((node) => node.kind !== 'join' && !isHandler(node)).map(({ parent }) => parent),
  )
  return new Set(
    nodes
      .filter(({ id, kind, isForeach }) => parents.has(id) && (kind !== 'switch' || isForeach))
      .map(({ id }) => id),
  )
}

/** A plain group of steps needs no node, because its frame shows it. `ways`: the edges that leave it. */
function isTransparent({ kind, isConditional }: GraphNode, ways: readonly GraphEdge[] | undefined): boolean {
  if (kind === 'switch' || kind === 'parallel' || isConditional) return false
  return ways?.length === 1
}

/** The edges. An edge to a node that is not drawn goes to the successors of that node instead. */
function joinThrough(
  graph: StepGraph,
  framed: ReadonlySet<string>,
  waysFrom: ReadonlyMap<string, readonly GraphEdge[]>,
): readonly DrawnEdge[] {
  const through = new Map<string, string>()
  for (const node of graph.nodes) {
    const ways = waysFrom.get(node.id)
    if (framed.has(node.id) && isTransparent(node, ways)) through.set(node.id, ways![0]!.to)
  }
  const target = (id: string): string => (through.has(id) ? target(through.get(id)!) : id)
  const gates = new Set(graph.nodes.filter((node) => node.isConditional).map(({ id }) => id))
  return graph.edges
    .filter(({ from }) => !through.has(from))
    .map((edge) => ({
      ...edge,
      to: target(edge.to),
      label: edge.label ?? (framed.has(edge.from) && gates.has(edge.from) ? gateLabel(edge) : undefined),
    }))
}

/** Out of a group with a condition. */
const gateLabel = ({ kind }: GraphEdge): string | undefined =>
  kind === 'branch' || kind === 'error' ? undefined : 'skipped'

function draw(node: GraphNode, frame: string | undefined): DrawnNode {
  const { id, kind, name, line, isForeach } = node
  const shape = shapeOf(node)
  const isInFrame = frame === id
  const title = isInFrame || kind === 'join' ? '' : node.label
  const isGate = shape === 'gate'
  const notes: readonly Note[] = [
    ...(node.skill === undefined || node.skill === title
      ? []
      : [{ kind: 'skill' as const, text: node.skill }]),
    ...(node.detail === undefined ? [] : [{ kind: 'detail' as const, text: node.detail }]),
    ...(node.item === undefined || isInFrame
      ? []
      : [{ kind: 'item' as const, text: `for each ${node.item}` }]),
    ...(node.rate === undefined || isInFrame
      ? []
      : [{ kind: 'detail' as const, text: `at most ${node.rate}` }]),
    ...(node.undoneAfter === undefined
      ? []
      : [{ kind: 'detail' as const, text: `undone after ${node.undoneAfter}` }]),
    ...(node.condition === undefined ? [] : [{ kind: 'condition' as const, text: `if ${node.condition}` }]),
  ]
  return {
    id,
    shape,
    kind,
    title: isGate && title === '' && notes.length === 0 ? kind : title,
    name,
    notes,
    isRepeated: isForeach && !isInFrame,
    frame,
    line,
  }
}

function shapeOf({ kind, isConditional }: GraphNode): DrawnNode['shape'] {
  switch (kind) {
    case 'start':
    case 'end':
    case 'join':
      return kind
    case 'switch':
      return 'gate'
    case 'parallel':
      return isConditional ? 'gate' : 'fork'
    case 'steps':
      return 'gate'
    case 'return':
    case 'fail':
      return 'pill'
    default:
      return 'card'
  }
}

function frameTitle({ label, kind, item, rate }: GraphNode): string {
  const what = item !== undefined ? `for each ${item}` : kind === 'steps' ? '' : kind
  const parts = [
    label === kind && what !== '' ? '' : label,
    what,
    rate === undefined ? '' : `at most ${rate}`,
  ]
  return parts.filter((part) => part !== '').join(' · ')
}
