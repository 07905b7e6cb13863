import { ActionIcon, Badge, Group } from '@mantine/core'
import { MinusIcon, PlusIcon } from '@radix-ui/react-icons'
import { memo, useEffect, useRef, useState } from 'react'
import { pathThrough } from '../../../core/graph/shapes.ts'
import './graph.css'
import type { Graph, GraphNode } from './graph-types.ts'
import { GraphNodeBox, placeOf, type NodeMark } from './graph-node.tsx'

interface PlaybookGraphProps {
  readonly graph: Graph
  readonly label: string
  /** What became of nodes, by their ids. Absent: nothing has run. */
  readonly marks?: ReadonlyMap<string, NodeMark>
  readonly selected?: string | undefined
  /** Said on the picture, such as that it is not the newest. */
  readonly note?: string | undefined
  readonly onSelect: (node: GraphNode) => void
}

const [smallest, largest] = [0.4, 1.4]

/**
 * A playbook as a picture. Its steps are buttons, in the order in which they stand in the playbook. Drawn anew only where something that it
 * is given has changed: it may have a thousand parts.
 */
export const PlaybookGraph = memo(DrawnGraph)

function DrawnGraph({ graph, label, marks, selected, note, onSelect }: PlaybookGraphProps) {
  const viewport = useRef<HTMLDivElement>(null)
  const [zoom, setZoom] = useState(1)
  useEffect(() => {
    const width = viewport.current?.clientWidth ?? graph.width
    setZoom(Math.max(0.75, Math.min(1, (width - 8) / graph.width)))
  }, [graph.width])
  useEffect(() => {
    viewport.current
      ?.querySelector(selected === undefined ? '[data-shape=start]' : '[aria-pressed=true]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [selected, zoom])
  const change = (by: number): void => setZoom((now) => Math.max(smallest, Math.min(largest, now + by)))
  return (
    <div className="graph">
      <Group gap={4} className="graph-zoom">
        <ActionIcon size="sm" variant="default" aria-label="Smaller" onClick={() => change(-0.15)}>
          <MinusIcon />
        </ActionIcon>
        <ActionIcon size="sm" variant="default" aria-label="Larger" onClick={() => change(0.15)}>
          <PlusIcon />
        </ActionIcon>
      </Group>
      {note !== undefined && (
        <Badge color="orange" className="graph-remark">
          {note}
        </Badge>
      )}
      <div ref={viewport} className="graph-viewport" role="region" aria-label={label} tabIndex={0}>
        <div className="graph-page" style={{ width: graph.width, height: graph.height, zoom }}>
          {graph.frames.map((frame) => (
            <div key={frame.id} className="graph-frame" style={placeOf(frame)}>
              {frame.title}
            </div>
          ))}
          <svg className="graph-lines" width={graph.width} height={graph.height} aria-hidden>
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
            {graph.edges.map(({ from, to, kind, points }, index) => (
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
          {graph.edges.map(({ label: text, points }, index) => {
            const middle = points[Math.floor(points.length / 2)]
            if (text === null || middle === undefined) return null
            return (
              <span
                key={index}
                className="graph-label"
                style={{ left: middle.x, top: middle.y }}
                title={text}
              >
                {text}
              </span>
            )
          })}
          {graph.nodes.map((node) => (
            <GraphNodeBox
              key={node.id}
              node={node}
              mark={marks?.get(node.id)}
              isRun={marks !== undefined}
              isSelected={selected === node.id}
              onSelect={onSelect}
            />
          ))}
        </div>
      </div>
    </div>
  )
}
