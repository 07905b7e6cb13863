import type { PlacedNode, Point } from './layout.ts'
import { round } from './xml.ts'

/** The outline of a node. */
export function nodeShape({ node, x, y, width, height }: PlacedNode): string {
  const left = round(x - width / 2)
  const top = round(y - height / 2)
  switch (node.shape) {
    case 'start':
    case 'end':
    case 'pill':
      return rect('tg-box', left, top, width, height, Math.min(height / 2, 20))
    case 'fork':
    case 'join':
      return rect('tg-bar', left, top, width, height, 3)
    case 'gate':
      return `<path class="tg-box" d="${hexagon(left, top, width, height)}"/>`
    case 'card': {
      const behind = node.isRepeated
        ? [8, 4].map((shift) => rect('tg-box', left + shift, top + shift, width, height, 8)).join('')
        : ''
      const stripe = `<path class="tg-stripe" d="M${left + 8} ${top}a8 8 0 0 0-8 8v${round(height - 16)}a8 8 0 0 0 8 8z"/>`
      return `${behind}${rect('tg-box', left, top, width, height, 8)}${stripe}`
    }
  }
}

function rect(name: string, x: number, y: number, width: number, height: number, radius: number): string {
  return `<rect class="${name}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="${round(radius)}"/>`
}

function hexagon(left: number, top: number, width: number, height: number): string {
  const cut = round(Math.min(14, height / 2))
  const [right, bottom, middle] = [left + width, top + height, top + height / 2].map(round)
  return `M${left + cut} ${top}H${round(right! - cut)}L${right} ${middle}L${round(right! - cut)} ${bottom}H${left + cut}L${left} ${middle}z`
}

/** A smooth line (a B-spline) from the first point to the last. */
export function pathThrough(points: readonly Point[]): string {
  const [first, second] = points
  const last = points.at(-1)
  if (first === undefined || second === undefined || last === undefined) return ''
  if (points.length === 2) return `M${at(first)}L${at(last)}`
  const parts = [`M${at(first)}L${at(mix(first, second, 5, 1))}`]
  for (let index = 1; index < points.length - 1; index++) {
    const [before, here, after] = [points[index - 1]!, points[index]!, points[index + 1]!]
    const end = { x: (before.x + 4 * here.x + after.x) / 6, y: (before.y + 4 * here.y + after.y) / 6 }
    parts.push(`C${at(mix(before, here, 2, 1))} ${at(mix(before, here, 1, 2))} ${at(end)}`)
  }
  const beforeLast = points.at(-2)!
  parts.push(
    `C${at(mix(beforeLast, last, 2, 1))} ${at(mix(beforeLast, last, 1, 2))} ${at(mix(beforeLast, last, 1, 5))}`,
    `L${at(last)}`,
  )
  return parts.join('')
}

const at = ({ x, y }: Point): string => `${round(x)} ${round(y)}`

const mix = (a: Point, b: Point, ofA: number, ofB: number): Point => ({
  x: (a.x * ofA + b.x * ofB) / (ofA + ofB),
  y: (a.y * ofA + b.y * ofB) / (ofA + ofB),
})
