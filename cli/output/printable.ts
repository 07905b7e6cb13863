import { escapeText } from '../../core/errors/source-frame.ts'
import { stringifyJson } from '../../core/common/json.ts'

/** Text from elsewhere on one line, harmless on a terminal: what could drive it is escaped, long text is cut. */
export function printable(text: string, maxLength = 200): string {
  const shown = escapeText(text.slice(0, maxLength + 1))
  return shown.length > maxLength ? `${shown.slice(0, maxLength - 1)}…` : shown
}

/** The same with its line breaks, and whole. */
export function printableLines(text: string): string {
  return text.split('\n').map(escapeText).join('\n')
}

/** JSON for programs, integers beyond 2^53 exactly, that is also harmless on a terminal: the same value, with control and format characters as `\u` escapes. */
export function printableJson(value: unknown): string {
  return stringifyJson(value, 2).replace(/[\p{Cf}\p{Zl}\p{Zp}\x7f-\x9f]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
