import { CST, Lexer } from 'yaml'
import { quoted, type Repair } from './repairs.ts'
import { expressionEnd } from './template-text.ts'

/**
 * Values inside of `{ }` or `[ ]` with a `${{ … }}` that is not in quotes: to YAML, its braces are maps. Only for a text that
 * passed the pre-scan and that YAML cannot read.
 */
export function findUnquotedExpressions(text: string): readonly Repair[] {
  const found: Repair[] = []
  let depth = 0
  let at = 0
  let isText = false
  for (const token of new Lexer().lex(text)) {
    const isMark = token === CST.DOCUMENT || token === CST.FLOW_END || token === CST.SCALAR
    const type: string | null = isText ? 'text' : CST.tokenType(token)
    const end = at + (isMark && !isText ? 0 : token.length)
    const isNew = at >= (found.at(-1)?.end ?? 0)
    if (isText && isNew && depth > 0 && token.endsWith('$') && text.startsWith('{{', end)) {
      const valueEnd = endOfValue(text, end - 1)
      // Where one is not closed, the rest is a guess; and looking for its end again and again would take long.
      if (valueEnd === undefined) return found
      found.push({ start: at, end: valueEnd, value: text.slice(at, valueEnd), valueStart: at })
    }
    if (type === 'flow-map-start' || type === 'flow-seq-start') depth++
    else if (type === 'flow-map-end' || type === 'flow-seq-end') depth--
    isText = type === 'scalar'
    at = end
  }
  return found
}

/** Where a value ends that goes on with `${{` at `from`; undefined when the expression is not closed on its line. */
function endOfValue(text: string, from: number): number | undefined {
  const newline = text.indexOf('\n', from)
  const line = text.slice(0, newline < 0 ? text.length : newline)
  let at = from
  while (at < line.length && !',]}'.includes(line[at]!)) {
    if (!line.startsWith('${{', at)) at++
    else {
      const close = expressionEnd(line, at + 3)
      if (close === undefined) return undefined
      at = close + 2
    }
  }
  return line.slice(0, at).trimEnd().length
}

/** The lines with every such value in quotes, by the offset of the first value of each line. */
export function correctedLines(text: string, repairs: readonly Repair[]): ReadonlyMap<Repair, string> {
  const lines = new Map<Repair, string>()
  for (let index = 0; index < repairs.length;) {
    const first = repairs[index]!
    const lineStart = text.lastIndexOf('\n', first.start) + 1
    const newline = text.indexOf('\n', first.start)
    const lineEnd = newline < 0 ? text.length : newline
    let corrected = ''
    let at = lineStart
    for (; index < repairs.length && repairs[index]!.start < lineEnd; index++) {
      const { start, end, value } = repairs[index]!
      corrected += text.slice(at, start) + quoted(value)
      at = end
    }
    lines.set(first, (corrected + text.slice(at, lineEnd)).trim())
  }
  return lines
}
