/** A segment of a text with expressions. Offsets refer to the text. */
export type Segment =
  | { readonly kind: 'text'; readonly text: string }
  /** `start` and `end` enclose the source of the expression, between the braces. */
  | { readonly kind: 'expression'; readonly start: number; readonly end: number }
  /** A `${{` that is never closed. */
  | { readonly kind: 'unclosed'; readonly start: number; readonly end: number }

/**
 * Splits a text at its `${{ … }}`. `$${{` gives the characters `${{`. Tracks braces and quotes inside the
 * expression, so that `${{ {'a': {'b': 1}} }}` ends where it should.
 */
export function splitTemplate(text: string): readonly Segment[] {
  const segments: Segment[] = []
  let plain = ''
  let at = 0
  const flush = () => {
    if (plain !== '') segments.push({ kind: 'text', text: plain })
    plain = ''
  }
  for (let open = text.indexOf('${{'); open >= 0; open = text.indexOf('${{', at)) {
    if (open > at && text[open - 1] === '$') {
      plain += text.slice(at, open - 1) + '${{'
      at = open + 3
      continue
    }
    plain += text.slice(at, open)
    flush()
    const close = expressionEnd(text, open + 3)
    if (close === undefined) return [...segments, { kind: 'unclosed', start: open, end: open + 3 }]
    segments.push({ kind: 'expression', start: open + 3, end: close })
    at = close + 2
  }
  plain += text.slice(at)
  flush()
  return segments
}

/** Offset of the `}}` that closes an expression. */
export function expressionEnd(text: string, from: number): number | undefined {
  let depth = 0
  let quotesClose = true
  for (let at = from; at < text.length; at++) {
    const character = text[at]!
    if (quotesClose && (character === '"' || character === "'")) {
      const end = stringEnd(text, at)
      // The expression parser reports an unclosed quote. Braces alone then determine the end.
      if (end === undefined) quotesClose = false
      else at = end - 1
    } else if (character === '{') depth++
    else if (character === '}') {
      if (depth > 0) depth--
      else if (text[at + 1] === '}') return at
    }
  }
  return undefined
}

/** Offset after the closing quote of the CEL string that starts here. */
function stringEnd(text: string, start: number): number | undefined {
  const raw = /(?:^|[^\w])[rR]$/.test(text.slice(Math.max(0, start - 2), start))
  const quote = text[start]!
  const delimiter = text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote
  for (let at = start + delimiter.length; at < text.length; at++) {
    if (text.startsWith(delimiter, at)) return at + delimiter.length
    if (text[at] === '\\' && !raw) at++
    else if (text[at] === '\n' && delimiter.length === 1) return undefined
  }
  return undefined
}
