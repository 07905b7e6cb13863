/** Deeper than this nothing is indented: a text of brackets would become thousands of times as long. */
const deepest = 40

/** Something outside of strings, one string, or blanks (RFC 8259). */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[\t\n\r ]+|[[\]{},:]|[^"\t\n\r [\]{},:]+/gsu

export interface Indented {
  readonly text: string
  /** Whether this is all of it. */
  readonly isWhole: boolean
}

/**
 * JSON with line breaks and indentation, and nothing else changed: names that stand twice, their order and the digits of numbers
 * stay as they were written, since an attacker may have written them. At most about `limit` characters are made: one long string is cut, too.
 * Undefined where the text is no JSON object or list.
 */
export function indentJson(text: string, limit: number): Indented | undefined {
  if (!isContainer(text)) return undefined
  const parts: string[] = []
  let length = 0
  let depth = 0
  let last = ''
  const add = (part: string): void => {
    parts.push(part)
    length += part.length
  }
  const lineBreak = (): void => {
    if (depth <= deepest) add(`\n${'  '.repeat(depth)}`)
  }
  for (const [token] of text.matchAll(tokens)) {
    if (/^[\t\n\r ]/.test(token)) continue
    if (length >= limit) return { text: parts.join(''), isWhole: false }
    const isFirst = last === '[' || last === '{'
    if (token === ']' || token === '}') {
      depth--
      if (!isFirst && depth < deepest) lineBreak()
    } else if (isFirst || last === ',') lineBreak()
    if (length + token.length > limit) {
      add(beginningOf(token, limit - length))
      return { text: parts.join(''), isWhole: false }
    }
    add(token === ':' ? ': ' : token)
    if (token === '[' || token === '{') depth++
    last = token
  }
  return { text: parts.join(''), isWhole: true }
}

/** No character is cut in two. */
const beginningOf = (text: string, length: number): string =>
  text.slice(0, Math.max(0, length)).replace(/[\uD800-\uDBFF]$/, '')

function isContainer(text: string): boolean {
  if (!/^[\t\n\r ]*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
