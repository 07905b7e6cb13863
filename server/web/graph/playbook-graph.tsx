import { ActionIcon, Badge, Group, Text, Tooltip } from '@mantine/core'
import { EnterFullScreenIcon, MinusIcon, PlusIcon } from '@radix-ui/react-icons'
import { useRef, type CSSProperties } from 'react'
import { useSteady } from '../lists/table/use-steady.ts'
import './graph.css'
import { GraphPicture } from './graph-picture.tsx'
import type { Graph, GraphNode } from './graph-types.ts'
import type { NodeMark } from './graph-node.tsx'
import { useDrag } from './use-drag.ts'
import { usePictureView } from './use-picture-view.ts'

interface PlaybookGraphProps {
  readonly graph: Graph
  readonly label: string
  /** What became of nodes, by their ids. Absent: nothing has run. */
  readonly marks?: ReadonlyMap<string, NodeMark>
  readonly selected?: string | undefined
  /** It is scrolled to its beginning, not to what is selected. */
  readonly isFromStart?: boolean
  /** Said on the picture, such as that it is not the newest. */
  readonly note?: string | undefined
  readonly onSelect: (node: GraphNode) => void
}

/** A playbook as a picture, to be moved and zoomed. Its steps are buttons, in the order in which they stand in the playbook. */
export function PlaybookGraph(props: PlaybookGraphProps) {
  const { graph, label, marks, selected, isFromStart = false, note, onSelect } = props
  const viewport = useRef<HTMLDivElement>(null)
  const select = useSteady(onSelect)
  const shown = graph.nodes.find(({ id, shape }) =>
    selected === undefined || isFromStart ? shape === 'start' : id === selected,
  )
  const view = usePictureView(viewport, graph, shown)
  const drag = useDrag()
  const { width, height } = graph
  return (
    <div className="graph">
      <Group gap={4} className="graph-zoom">
        <ZoomButton text="Zoom out" shortcut="-" icon={MinusIcon} onClick={view.smaller} />
        <Text size="xs" c="dimmed" className="graph-zoom-text">
          {Math.round(view.zoom * 100)} %
        </Text>
        <ZoomButton text="Zoom in" shortcut="+" icon={PlusIcon} onClick={view.larger} />
        <ZoomButton text="Fit to view" shortcut="0" icon={EnterFullScreenIcon} onClick={view.whole} />
      </Group>
      {note !== undefined && (
        <Badge color="orange" className="graph-remark">
          {note}
        </Badge>
      )}
      <div
        ref={viewport}
        className="graph-viewport"
        role="region"
        aria-label={label}
        aria-keyshortcuts="- + 0"
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
        tabIndex={0}
        style={{ '--graph-height': `${height + 2}px` } as CSSProperties}
        onKeyDown={view.onKeyDown}
        {...drag}
      >
        <div className="graph-space" style={{ width: width * view.zoom, height: height * view.zoom }}>
          <div className="graph-page" style={{ width, height, transform: `scale(${view.zoom})` }}>
            <GraphPicture graph={graph} marks={marks} selected={selected} onSelect={select} />
          </div>
        </div>
      </div>
    </div>
  )
}

interface ZoomButtonProps {
  readonly text: string
  readonly shortcut: string
  readonly icon: typeof PlusIcon
  readonly onClick: () => void
}

function ZoomButton({ text, shortcut, icon: Icon, onClick }: ZoomButtonProps) {
  return (
    <Tooltip label={`${text} (${shortcut})`}>
      <ActionIcon size="sm" variant="default" aria-label={text} onClick={onClick}>
        <Icon />
      </ActionIcon>
    </Tooltip>
  )
}
