/** Estimates the width of text in pixels without a font, rather too wide than too narrow. */

export interface Font {
  readonly size: number
  readonly isMonospaced?: boolean
  readonly isBold?: boolean
}

const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFFE6]|\p{Emoji_Presentation}/u
const narrow = /[iljtfrI.,:;'|!()[\]{} ]/
const broad = /[mwMWA-Z@%]/

export function textWidth(text: string, { size, isMonospaced, isBold }: Font): number {
  let ems = 0
  for (const character of text) {
    if (wide.test(character)) ems += 1.1
    else if (isMonospaced) ems += 0.61
    else ems += narrow.test(character) ? 0.36 : broad.test(character) ? 0.78 : 0.58
  }
  return Math.ceil(ems * size * (isBold ? 1.18 : 1))
}

/** Wraps the text at suitable places in code and sentences; cuts the last line if there is too much. */
export function wrapLabel(text: string, width: number, maxLines: number, font: Font): readonly string[] {
  const pieces = text.match(/[^ .,(&|]*(?:[.(,] ?|[&| ]+)?/g)?.filter((piece) => piece !== '') ?? []
  const lines: string[] = []
  for (const piece of pieces) {
    const last = lines.at(-1)
    const isFull = last !== undefined && textWidth(last + piece.trimEnd(), font) > width
    if (last === undefined || (isFull && lines.length < maxLines)) lines.push(piece)
    else lines[lines.length - 1] = last + piece
  }
  return lines.map((line) => fit(line.trim(), width, font))
}

/** The part of the text that fits, with `…` if it was cut. */
export function fit(text: string, width: number, font: Font): string {
  if (textWidth(text, font) <= width) return text
  const characters = Array.from(text)
  let length = Math.min(characters.length, Math.ceil(width / (font.size * 0.3)))
  while (length > 0 && textWidth(`${characters.slice(0, length).join('')}…`, font) > width) length--
  return `${characters.slice(0, length).join('').trimEnd()}…`
}
