import type { CSSProperties } from 'react'
import type { StepState } from '../api/types.ts'
import { runStatuses, stepLooks } from '../parts/states/states.tsx'
import type { Box, GraphNode } from './graph-types.ts'

/** What became of a node in a run. */
export interface NodeMark {
  /** The worst, where it ran several times; `passed`: the run came through it; `not_done`: a dry run left it out. */
  readonly state: StepState | 'passed' | 'not_done'
  /** How often it ran: for items, or again. */
  readonly count: number
  /** `2.4 s`; empty while it is under way. */
  readonly took: string
}

interface GraphNodeBoxProps {
  readonly node: GraphNode
  readonly mark: NodeMark | undefined
  readonly isRun: boolean
  readonly isSelected: boolean
  readonly onSelect: (node: GraphNode) => void
}

/** One node: a button where there is something to know about it. */
export function GraphNodeBox({ node, mark, isRun, isSelected, onSelect }: GraphNodeBoxProps) {
  const { shape, kind, title, notes } = node
  const look = {
    className: 'graph-node',
    style: placeOf(node),
    'data-shape': shape,
    'data-kind': kind,
    'data-state': mark === undefined ? (isRun ? 'never' : undefined) : stateOf(mark, kind),
    'data-repeated': node.is_repeated,
  }
  if (shape === 'fork' || shape === 'join') return <span {...look} />
  const content = (
    <>
      {title !== '' && <span className="graph-title">{title}</span>}
      {notes.map(({ kind: of, text }, index) => (
        <span key={index} className="graph-note" data-kind={of} title={text}>
          {text}
        </span>
      ))}
      {mark !== undefined && <MarkText mark={mark} kind={kind} />}
    </>
  )
  if (shape === 'start' || shape === 'end') return <span {...look}>{content}</span>
  return (
    <button type="button" {...look} aria-pressed={isSelected} onClick={() => onSelect(node)}>
      {content}
    </button>
  )
}

/** One that asks a person waits for as long as it is under way. */
const stateOf = ({ state }: NodeMark, kind: string): NodeMark['state'] | 'waiting' =>
  state === 'started' && kind === 'checkpoint' ? 'waiting' : state

interface MarkTextProps {
  readonly mark: NodeMark
  readonly kind: string
}

function MarkText({ mark, kind }: MarkTextProps) {
  const { count, took } = mark
  const state = stateOf(mark, kind)
  if (state === 'passed') return null
  const times = count > 1 ? `${count} × ` : ''
  return (
    <span className="graph-mark">
      {times}
      {state === 'not_done'
        ? 'Not called'
        : state === 'completed' && took !== ''
          ? took
          : (state === 'waiting' ? runStatuses.waiting : stepLooks[state]).text}
    </span>
  )
}

/** Where a box stands whose `x` and `y` are its middle. */
export function placeOf({ x, y, width, height }: Box): CSSProperties {
  return { left: x - width / 2, top: y - height / 2, width, height }
}
