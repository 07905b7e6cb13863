import type { DrawnEdge, DrawnNode, Note } from './drawing.ts'
import { fit, textWidth, wrapLabel, type Font } from './measure.ts'
import { shortenLabel } from './text.ts'

export const titleFont: Font = { size: 13, isBold: true }
const codeFont: Font = { size: 11, isMonospaced: true }
const plainFont: Font = { size: 11 }

/** A displayed line; `full` holds the whole text if the line was cut. */
export interface TextLine {
  readonly text: string
  readonly full: string | undefined
  readonly width: number
}

export interface NodeBox {
  readonly width: number
  readonly height: number
  readonly title: TextLine | undefined
  readonly notes: readonly (TextLine & Pick<Note, 'kind'>)[]
}

const maxTextWidth = 250
export const lineHeight = 16
/** Maximum number of lines of a condition. */
const maxLines = 3

/** Size and text of a node. */
export function nodeBox(node: DrawnNode): NodeBox {
  if (node.shape === 'fork' || node.shape === 'join')
    return { width: 56, height: 6, title: undefined, notes: [] }
  const title = node.title === '' ? undefined : line(node.title, titleFont, maxTextWidth)
  const notes = node.notes.flatMap(({ kind, text }) =>
    linesOf(text, noteFont(kind), maxTextWidth, kind === 'condition' || kind === 'detail' ? maxLines : 1).map(
      (shown) => ({
        kind,
        ...shown,
      }),
    ),
  )
  const text = Math.max(title?.width ?? 0, ...notes.map(({ width }) => width))
  const lines = (title ? 1 : 0) + notes.length
  const isRound = node.shape !== 'card'
  return {
    width: Math.max(isRound ? 72 : 132, text + (isRound ? 44 : 36)),
    height: lines * lineHeight + (isRound ? 16 : 20),
    title,
    notes,
  }
}

const noteFont = (kind: Note['kind']): Font => (kind === 'item' || kind === 'detail' ? plainFont : codeFont)

/** The label of an edge, in lines. */
export interface EdgeLabel {
  readonly lines: readonly TextLine[]
  readonly width: number
  readonly height: number
}

export function edgeLabel({ label, kind }: DrawnEdge): EdgeLabel | undefined {
  const text = label ?? (kind === 'error' ? 'on error' : undefined)
  if (text === undefined) return undefined
  const lines = linesOf(text, codeFont, 200, maxLines)
  return {
    lines,
    width: Math.max(...lines.map(({ width }) => width)) + 10,
    height: lines.length * lineHeight + 2,
  }
}

const line = (text: string, font: Font, maxWidth: number): TextLine => linesOf(text, font, maxWidth, 1)[0]!

/** At least one line. If text was cut, the last line holds the full text. */
function linesOf(text: string, font: Font, maxWidth: number, maxLines: number): readonly TextLine[] {
  const whole = shortenLabel(text, 1000)
  const shown = maxLines === 1 ? [fit(whole, maxWidth, font)] : wrapLabel(whole, maxWidth, maxLines, font)
  const isCut = shown.at(-1)?.endsWith('…') === true && !whole.endsWith('…')
  return shown.map((each, index) => ({
    text: each,
    full: isCut && index === shown.length - 1 ? whole : undefined,
    width: textWidth(each, font),
  }))
}
