import { memo } from 'react'
import { pathThrough } from '../../../core/graph/shapes.ts'
import type { Graph, GraphNode } from './graph-types.ts'
import { GraphNodeBox, placeOf, type NodeMark } from './graph-node.tsx'

interface GraphPictureProps {
  readonly graph: Graph
  readonly marks: ReadonlyMap<string, NodeMark> | undefined
  readonly selected: string | undefined
  readonly onSelect: (node: GraphNode) => void
}

/** The parts of a playbook at their places. Drawn anew only where something that it is given has changed: it may have a thousand parts. */
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
      {/* Over the lines that lead into their frames. */}
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
