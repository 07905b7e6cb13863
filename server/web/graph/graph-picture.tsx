import { memo, type CSSProperties } from 'react'
import { pathThrough } from '../../../core/graph/shapes.ts'
import type { Box } from './picture-view.ts'
import type { ApiGraph, ApiGraphNode } from '../api/types.ts'
import type { StepState } from '../../../core/domain/run.ts'
import { runStatusLooks, stepLooks } from '../parts/states.tsx'

interface GraphPictureProps {
  readonly graph: ApiGraph
  readonly marks: ReadonlyMap<string, NodeMark> | undefined
  readonly selected: string | undefined
  readonly onSelect: (node: ApiGraphNode) => void
}

/** The nodes, edges and frames of a playbook. Memoized, because there may be a thousand. */
export const GraphPicture = memo(DrawnPicture)

function DrawnPicture({ graph, marks, selected, onSelect }: GraphPictureProps) {
  const { width, height, frames, edges, nodes } = graph
  return (
    <>
      {frames.map((frame) => (
        <div key={frame.id} className="graph-frame" style={placeOf(frame)} />
      ))}
      <svg className="graph-lines" width={width} height={height} aria-hidden>
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path className="graph-arrow" d="M0 .8 8 4 0 7.2z" />
          </marker>
        </defs>
        {edges.map(({ from, to, kind, points }, index) => (
          <path
            key={index}
            className="graph-line"
            data-kind={kind}
            data-taken={marks?.has(from) === true && marks.has(to)}
            d={pathThrough(points)}
            markerEnd="url(#arrow)"
          />
        ))}
      </svg>
      {/* Above the edges that lead into the frames. */}
      {frames.map(({ id, title, x, y, width: wide, height: high }) => (
        <div
          key={id}
          className="graph-frame-title"
          style={{ left: x - wide / 2 + 8, top: y - high / 2 + 4, maxWidth: wide - 16 }}
          title={title}
        >
          {title}
        </div>
      ))}
      {edges.map(({ label, points }, index) => {
        const middle = points[Math.floor(points.length / 2)]
        if (label === null || middle === undefined) return null
        return (
          <span key={index} className="graph-label" style={{ left: middle.x, top: middle.y }} title={label}>
            {label}
          </span>
        )
      })}
      {nodes.map((node) => (
        <GraphNodeBox
          key={node.id}
          node={node}
          mark={marks?.get(node.id)}
          isRun={marks !== undefined}
          isSelected={selected === node.id}
          onSelect={onSelect}
        />
      ))}
    </>
  )
}

/** The result of a node in a run. */
export interface NodeMark {
  /**
   * The worst state if it ran several times. `passed`: the run entered the group. `not_done`: a dry run
   * skipped the write.
   */
  readonly state: StepState | 'passed' | 'not_done'
  /** Number of executions, for items or repeats. */
  readonly count: number
  /** `2.4 s`; empty while it is running. */
  readonly took: string
}

interface GraphNodeBoxProps {
  readonly node: ApiGraphNode
  readonly mark: NodeMark | undefined
  readonly isRun: boolean
  readonly isSelected: boolean
  readonly onSelect: (node: ApiGraphNode) => void
}

/** One node. Steps are buttons. */
function GraphNodeBox({ node, mark, isRun, isSelected, onSelect }: GraphNodeBoxProps) {
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
    <button
      type="button"
      {...look}
      title={node.name}
      aria-pressed={isSelected}
      onClick={() => onSelect(node)}
    >
      {content}
    </button>
  )
}

/** A checkpoint waits while it is running. */
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
          : (state === 'waiting' ? runStatusLooks.waiting : stepLooks[state]).text}
    </span>
  )
}

/** Position of a box with its center at `x` and `y`. */
function placeOf({ x, y, width, height }: Box): CSSProperties {
  return { left: x - width / 2, top: y - height / 2, width, height }
}
