import { CST, Lexer } from 'yaml'
import { quoted, type Repair } from './repairs.ts'
import { expressionEnd } from './template-text.ts'

/**
 * Finds values inside `{ }` or `[ ]` with an unquoted `${{ … }}`, whose braces YAML reads as maps. Only for
 * texts that passed the pre-scan and are invalid YAML.
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
      // After an unclosed expression the rest would be a guess, and slow to search.
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

/** End of a value with `${{` at `from`; undefined if the expression is not closed on its line. */
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

/** The lines with quoted values, by the first repair of each line. */
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
