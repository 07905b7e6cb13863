/** Where the content of an alert matches a search. */
export interface ContentMatch {
  /** Where the value is in JSON, e.g. `user.ips[0]`; null: the content is not JSON. */
  readonly path: string | null
  /** Part of the value, in one line of at most 160 characters. */
  readonly text: string
  /** Matches in `text`: from the first character to the one behind the last. */
  readonly marks: readonly (readonly [from: number, to: number])[]
}

/** Longer contents show their beginning instead. */
export const matchedCharacters = 32_768

const maxText = 160
const before = 40
const maxWords = 20
const maxDepth = 32

/** Values of these keys are never shown. */
const sensitiveKey =
  /pass(?:word|wd|phrase)?$|secret|token|authorization|cookie|credential|api_?-?key|private_?-?key/i
/** The same in a text, up to the next space. */
const sensitiveText =
  /\b\S*(?:passw(?:or)?d|passphrase|secret|token|authorization|cookie|credential|api_?-?key)\S*\s*[=:]/i

/**
 * The value of the content that contains most of the searched words. Undefined if none does, e.g. because the words are in the id or
 * in a key, or if the content is too long.
 */
export function contentMatch(content: string, search: string): ContentMatch | undefined {
  const words = wordsOf(search)
  if (words.length === 0 || content.length >= matchedCharacters) return undefined
  if (!/^\s*[{[]/.test(content))
    return sensitiveText.test(content) ? undefined : excerpt(null, content, words)
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch {
    // Truncated or invalid: it cannot be known which values are sensitive.
    return undefined
  }
  let best: { readonly path: string; readonly text: string; readonly count: number } | undefined
  for (const [path, text] of leavesOf(value, '', 0)) {
    const lower = text.toLowerCase()
    const count = words.filter((word) => lower.includes(word)).length
    if (count > (best?.count ?? 0)) best = { path, text, count }
  }
  return best && excerpt(best.path, best.text, words)
}

const wordsOf = (search: string): readonly string[] =>
  search
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replace(/\*$/, ''))
    .filter((word) => word !== '')
    .slice(0, maxWords)

function* leavesOf(
  value: unknown,
  path: string,
  depth: number,
): Iterable<readonly [path: string, text: string]> {
  if (typeof value === 'string') {
    // A text may hold a whole message.
    if (!sensitiveText.test(value)) yield [path, value]
  } else if (typeof value === 'number') yield [path, String(value)]
  else if (typeof value !== 'object' || value === null || depth >= maxDepth) return
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* leavesOf(item, `${path}[${index}]`, depth + 1)
  else
    for (const [key, item] of Object.entries(value))
      if (!sensitiveKey.test(key)) yield* leavesOf(item, path === '' ? key : `${path}.${key}`, depth + 1)
}

function excerpt(path: string | null, whole: string, words: readonly string[]): ContentMatch | undefined {
  const line = whole.replaceAll(/\s+/g, ' ').trim()
  const first = Math.min(...placesOf(line, words).map(([from]) => from))
  if (!Number.isFinite(first)) return undefined
  const from = Math.max(0, first - before)
  // Half of a surrogate pair at a cut is removed.
  const text = line.slice(from, from + maxText).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')
  return {
    path: path === null ? null : path.slice(0, maxText).toWellFormed(),
    text,
    marks: placesOf(text, words),
  }
}

/** The places of the words, without overlaps. */
function placesOf(text: string, words: readonly string[]): readonly (readonly [from: number, to: number])[] {
  const lower = text.toLowerCase()
  // Lower case may have another length in rare scripts.
  if (lower.length !== text.length) return []
  const places: [number, number][] = []
  for (const word of words)
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length))
      places.push([at, at + word.length])
  const sorted = places.toSorted(([one], [other]) => one - other)
  return sorted.filter(([from], index) => sorted.slice(0, index).every(([, to]) => to <= from))
}
