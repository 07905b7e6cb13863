import { endOfString, nestedTooDeep } from '../../../core/common/json.ts'
import { formatPointer } from '../../../core/schema/index.ts'

/**
 * The JSON pointer of the first field that appears twice in its object. JSON does not define which of the two
 * counts, so two readers could see different alerts. One pass before the text is parsed, which also checks its depth: for
 * invalid JSON the result has no meaning.
 *
 * @throws TocsinError `json_too_deep`
 */
export function findDuplicateName(text: string, maxDepth = Infinity): string | undefined {
  let found: string | undefined
  const open: Level[] = []
  let level: Level | undefined
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at)
      if (level?.names !== undefined && level.nameFollows) {
        const name = nameAt(text, at, end)
        level.at = name
        level.nameFollows = false
        if (level.names.has(name)) found ??= formatPointer(open.map((one) => one.at))
        level.names.add(name)
      }
      at = end
    } else if (code === openBrace || code === openBracket) {
      level =
        code === openBrace ? { names: new Set(), nameFollows: true, at: '' } : { at: 0, nameFollows: false }
      if (open.push(level) > maxDepth) throw nestedTooDeep(maxDepth, at)
    } else if (code === closeBrace || code === closeBracket) {
      open.pop()
      level = open.at(-1)
    } else if (code === comma && level !== undefined) {
      if (level.names === undefined) level.at = Number(level.at) + 1
      else level.nameFollows = true
    }
  }
  return found
}

interface Level {
  /** Field names of an object; absent for an array. */
  readonly names?: Set<string>
  nameFollows: boolean
  /** The current name or index. */
  at: string | number
}

const quote = 0x22
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** `"\u0061"` and `"a"` are the same name. */
function nameAt(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end)
  return raw.includes('\\') ? unescaped(raw) : raw
}

function unescaped(raw: string): string {
  try {
    return JSON.parse(`"${raw}"`) as string
  } catch {
    // The parser refuses the whole text.
    return raw
  }
}
