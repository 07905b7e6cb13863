import { ActionIcon, Badge, Group, Text, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ExpandIcon, MinusIcon, PlusIcon, ScanIcon } from 'lucide-react'
import { useRef, type CSSProperties, type PointerEvent } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { useStableCallback } from '../parts/hooks.ts'
import './graph.css'
import { GraphPicture, type NodeMark } from './graph-picture.tsx'
import type { ApiGraph, ApiGraphNode } from '../api/types.ts'
import { detailedFrom, usePictureView } from './picture-view.ts'

interface PlaybookGraphProps {
  readonly graph: ApiGraph
  readonly label: string
  /** Results of nodes by id. Absent if nothing has run. */
  readonly marks?: ReadonlyMap<string, NodeMark>
  readonly selected?: string | undefined
  /** Show the start, not the selected node. */
  readonly isFromStart?: boolean
  /** A note over the graph. */
  readonly note?: string | undefined
  readonly onSelect: (node: ApiGraphNode) => void
}

/** A playbook as a graph to scroll and zoom, also in the whole window. Its steps are buttons, in the order of the source. */
export function PlaybookGraph(props: PlaybookGraphProps) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Picture {...props} onEnlarge={open} />
      <Dialog
        fullScreen
        opened={opened}
        onClose={close}
        title={props.label}
        classNames={{ content: 'graph-window' }}
      >
        <Picture
          {...props}
          label={`${props.label}, enlarged`}
          onSelect={(node) => {
            close()
            props.onSelect(node)
          }}
        />
      </Dialog>
    </>
  )
}

interface PictureProps extends PlaybookGraphProps {
  /** Undefined: it has the whole window. */
  readonly onEnlarge?: () => void
}

function Picture(props: PictureProps) {
  const { graph, label, marks, selected, isFromStart = false, note, onEnlarge, onSelect } = props
  const viewport = useRef<HTMLDivElement>(null)
  const select = useStableCallback(onSelect)
  const shown = graph.nodes.find(({ id, shape }) =>
    selected === undefined || isFromStart ? shape === 'start' : id === selected,
  )
  const view = usePictureView(viewport, graph, shown)
  const drag = useDrag()
  const { width, height } = graph
  return (
    <div className="graph">
      <Group gap={4} className="graph-controls">
        {note !== undefined && (
          <Badge color="orange" mr="auto">
            {note}
          </Badge>
        )}
        <ZoomButton text="Zoom out" shortcut="-" icon={MinusIcon} onClick={view.smaller} />
        <Text size="xs" c="dimmed" className="graph-zoom-text">
          {Math.round(view.zoom * 100)} %
        </Text>
        <ZoomButton text="Zoom in" shortcut="+" icon={PlusIcon} onClick={view.larger} />
        <ZoomButton text="Fit to view" shortcut="0" icon={ScanIcon} onClick={view.whole} />
        {onEnlarge && <ZoomButton text="Enlarge" icon={ExpandIcon} onClick={onEnlarge} />}
      </Group>
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
          <div
            className="graph-page"
            data-small={view.zoom < detailedFrom}
            style={{ width, height, transform: `scale(${view.zoom})`, '--zoom': view.zoom } as CSSProperties}
          >
            <GraphPicture graph={graph} marks={marks} selected={selected} onSelect={select} />
          </div>
        </div>
      </div>
    </div>
  )
}

interface ZoomButtonProps {
  readonly text: string
  readonly shortcut?: string
  readonly icon: typeof PlusIcon
  readonly onClick: () => void
}

function ZoomButton({ text, shortcut, icon: Icon, onClick }: ZoomButtonProps) {
  return (
    <Tooltip label={shortcut === undefined ? text : `${text} (${shortcut})`}>
      <ActionIcon size="sm" variant="default" aria-label={text} onClick={onClick}>
        <Icon />
      </ActionIcon>
    </Tooltip>
  )
}

/** Scrolls by dragging the background with the mouse. */
function useDrag() {
  const last = useRef<{ readonly x: number; readonly y: number }>(undefined)
  return {
    onPointerDown({
      pointerType,
      button,
      target,
      currentTarget,
      pointerId,
      clientX: x,
      clientY: y,
    }: PointerEvent) {
      if (pointerType !== 'mouse' || button !== 0) return
      if (target instanceof Element && target.closest('button') !== null) return
      // Not on the scroll bars.
      const { left, top } = currentTarget.getBoundingClientRect()
      if (x - left > currentTarget.clientWidth || y - top > currentTarget.clientHeight) return
      last.current = { x, y }
      currentTarget.setPointerCapture(pointerId)
    },
    onPointerMove({ currentTarget, clientX: x, clientY: y }: PointerEvent) {
      const { current: before } = last
      if (before === undefined) return
      currentTarget.scrollBy(before.x - x, before.y - y)
      last.current = { x, y }
    },
    onLostPointerCapture() {
      last.current = undefined
    },
  }
}
