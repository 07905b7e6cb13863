/** JSON documents in a text, and the text around them. */
export interface SplitText {
  readonly documents: readonly unknown[]
  readonly rest: string
}

/** Lines that only look like JSON cost an exception each, so a text with many of them is given up. */
const maxFailures = 20

/** The whole of `text` as a JSON document; wrapped because `null` is a document too. */
export function parseWhole(text: string): { readonly value: unknown } | undefined {
  if (!/^\s{0,100}[[{"]/.test(text) || !/[\]}"]\s{0,100}$/.test(text.slice(-101))) return undefined
  return parse(text)
}

/**
 * Finds JSON documents in log lines: one object with text around it (`<134>Jan 12 fw01: {…}`), or one on each
 * of several lines. Parses every character at most twice.
 */
export function splitDocuments(text: string): SplitText {
  if (!text.includes('{"') && !text.includes('{ "') && !text.includes('{\n'))
    return { documents: [], rest: text }
  const one = objectIn(text)
  if (one !== undefined) return { documents: [one.value], rest: one.rest }
  const documents: unknown[] = []
  const rest: string[] = []
  let failures = 0
  for (const line of text.split('\n')) {
    const found = failures < maxFailures ? objectIn(line) : undefined
    if (found === undefined && line.includes('{')) failures += 1
    if (found !== undefined) documents.push(found.value)
    rest.push(found?.rest ?? line)
  }
  return { documents, rest: rest.join('\n') }
}

function objectIn(text: string): { readonly value: unknown; readonly rest: string } | undefined {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}') + 1
  const document = start === -1 || end <= start ? undefined : parse(text.slice(start, end))
  return document && { value: document.value, rest: `${text.slice(0, start)} ${text.slice(end)}` }
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}
