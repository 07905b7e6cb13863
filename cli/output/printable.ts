import { escapeText } from '../../core/errors/source-frame.ts'
import { stringifyJson } from '../../core/common/json.ts'

/** Makes foreign text safe for one line of a terminal: escapes control characters and cuts long text. */
export function printable(text: string, maxLength = 200): string {
  const shown = escapeText(text.slice(0, maxLength + 1))
  return shown.length > maxLength ? `${shown.slice(0, maxLength - 1)}…` : shown
}

/** Like `printable`, but keeps line breaks and length. */
export function printableLines(text: string): string {
  return text.split('\n').map(escapeText).join('\n')
}

/**
 * JSON with exact integers beyond 2^53 that is also safe for a terminal: control and format characters are
 * `\u` escapes.
 */
export function printableJson(value: unknown): string {
  return stringifyJson(value, 2).replace(/[\p{Cf}\p{Zl}\p{Zp}\x7f-\x9f]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
