/** A command as its words: texts, and lists of words. */
export type ImapWord = string | readonly ImapWord[]

/** Reads a complete command, whose literals follow their `{n}` and line end. */
export function parseCommand(bytes: Buffer): readonly ImapWord[] {
  const text = bytes.toString('latin1')
  let at = 0
  const list = (closing: boolean): ImapWord[] => {
    const words: ImapWord[] = []
    for (;;) {
      while (text[at] === ' ') at++
      if (at >= text.length || text[at] === '\r') return words
      if (text[at] === ')') {
        if (closing) at++
        return words
      }
      words.push(word())
    }
  }
  const word = (): ImapWord => {
    if (text[at] === '(') {
      at++
      return list(true)
    }
    if (text[at] === '"') return quoted()
    const [literal, length] = /^\{(\d{1,9})\+?\}\r\n/.exec(text.slice(at, at + 20)) ?? []
    if (literal !== undefined) {
      const start = at + literal.length
      at = start + Number(length)
      return utf8(text.slice(start, at))
    }
    return atom()
  }
  const quoted = (): string => {
    let value = ''
    for (at++; at < text.length && text[at] !== '"'; at++) {
      if (text[at] === '\\') at++
      value += text[at] ?? ''
    }
    at++
    return utf8(value)
  }
  /** A section such as `BODY[HEADER.FIELDS (FROM)]` is one word. */
  const atom = (): string => {
    const start = at
    let depth = 0
    for (; at < text.length; at++) {
      if (text[at] === '[') depth++
      if (text[at] === ']') depth--
      if (depth === 0 && /[ ()\r]/.test(text[at] ?? '')) break
    }
    if (at === start) at++
    return text.slice(start, at)
  }
  return list(false)
}

const utf8 = (latin1: string): string => Buffer.from(latin1, 'latin1').toString()

/** Bytes of the first command of a buffer; `literal` if the client waits for permission to send a literal. */
export function commandEnd(buffer: Buffer, granted: number): number | 'more' | 'literal' {
  let at = 0
  for (;;) {
    const end = buffer.indexOf('\r\n', at)
    if (end === -1) return 'more'
    const [, length, plus] = /\{(\d{1,9})(\+?)\}$/.exec(buffer.subarray(at, end).toString('latin1')) ?? []
    if (length === undefined) return end + 2
    const after = end + 2
    if (plus === '' && after > granted && buffer.length === after) return 'literal'
    at = after + Number(length)
    if (buffer.length < at) return 'more'
  }
}

/** The numbers of a set such as `1:3,7,9:*`. */
export function inSet(set: string, number: number, last: number): boolean {
  return set.split(',').some((part) => {
    const [from = 0, to = from] = part.split(':').map((one) => (one === '*' ? last : Number(one)))
    return number >= Math.min(from, to) && number <= Math.max(from, to)
  })
}
