import type { StepGraph } from '../playbook/language/step-graph.ts'
import { lineHeight, titleFont, type TextLine } from './boxes.ts'
import { toDrawing } from './drawing.ts'
import { type PlacedEdge, type PlacedFrame, type PlacedNode } from './layout.ts'
import { nodeShape, pathThrough } from './shapes.ts'
import { style } from './style.ts'
import { escapeXml, round } from './xml.ts'
import { layOut } from './choose-layout.ts'

/**
 * The graph as an SVG document without scripts or external resources, light or dark by the viewer's
 * preference. Text of the playbook cannot become markup.
 */
export function toSvg(graph: StepGraph): string {
  const { width, height, nodes, frames, edges } = layOut(toDrawing(graph))
  const name = escapeXml(graph.nodes[0]?.label ?? 'playbook')
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Steps of ${name}" class="tg">`,
    `<title>${name}</title>`,
    `<style>${style}</style>`,
    `<defs>${['way', 'error'].map(arrowHead).join('')}</defs>`,
    `<rect class="tg-page" width="${width}" height="${height}"/>`,
    ...frames.map(frameOf),
    ...edges.map(lineOf),
    ...frames.map(frameTitleOf),
    ...nodes.map(nodeOf),
    ...edges.flatMap(labelOf),
    '</svg>',
    '',
  ].join('\n')
}

const arrowHead = (name: string): string =>
  `<marker id="tg-${name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path class="tg-head tg-${name}" d="M0 .8 8 4 0 7.2z"/></marker>`

function frameOf({ x, y, width, height }: PlacedFrame): string {
  const left = round(x - width / 2)
  const top = round(y - height / 2)
  return `<rect class="tg-frame" x="${left}" y="${top}" width="${round(width)}" height="${round(height)}" rx="10"/>`
}

/** Drawn above the lines that lead into the frame. */
const frameTitleOf = ({ frame, x, y, width, height }: PlacedFrame): string =>
  text(frame.title, round(x - width / 2) + 12, round(y - height / 2) + 17, 'tg-frame-title')

function lineOf({ edge, points }: PlacedEdge): string {
  const head = edge.kind === 'error' ? 'error' : 'way'
  return `<path class="tg-line tg-${edge.kind}" d="${pathThrough(points)}" marker-end="url(#tg-${head})"/>`
}

function labelOf({ edge, label }: PlacedEdge): string[] {
  if (label === undefined) return []
  const { x, y, width, height, lines } = label
  const top = y - height / 2
  const box = `<rect class="tg-label-page" x="${round(x - width / 2)}" y="${round(top)}" width="${width}" height="${height}" rx="8"/>`
  const texts = lines.map((each, index) =>
    shownText(each, x, top + 13 + index * lineHeight, 'tg-code tg-middle'),
  )
  return [`<g class="tg-label tg-${edge.kind}">${box}${texts.join('')}</g>`]
}

function nodeOf(placed: PlacedNode): string {
  const { node, x, y, height, title, notes } = placed
  const lines = (title ? 1 : 0) + notes.length
  const isCard = node.shape === 'card'
  const left = isCard ? x - placed.width / 2 + 20 : x
  const anchor = isCard ? '' : ' tg-middle'
  const first = y - height / 2 + (height - lines * lineHeight) / 2 + titleFont.size - 1
  const texts = [
    ...(title ? [shownText(title, left, first, `tg-title${anchor}`)] : []),
    ...notes.map((note, index) =>
      shownText(
        note,
        left,
        first + (index + (title ? 1 : 0)) * lineHeight,
        `tg-note tg-${note.kind}${anchor}`,
      ),
    ),
  ]
  const whole = [title, ...notes].flatMap((line) => (line?.full === undefined ? [] : [line.full]))
  const tooltip = whole.length === 0 ? '' : `<title>${escapeXml(whole.join(' — '))}</title>`
  const state = notes.some(({ kind }) => kind === 'condition') && isCard ? ' tg-optional' : ''
  return `<g class="tg-node tg-${node.shape} tg-${node.kind}${state}">${tooltip}${nodeShape(placed)}${texts.join('')}</g>`
}

function shownText({ text: shown, full }: TextLine, x: number, y: number, classes: string): string {
  return full === undefined
    ? text(shown, x, y, classes)
    : `<g><title>${escapeXml(full)}</title>${text(shown, x, y, classes)}</g>`
}

const text = (shown: string, x: number, y: number, classes: string): string =>
  `<text class="${classes}" x="${round(x)}" y="${round(y)}">${escapeXml(shown)}</text>`
