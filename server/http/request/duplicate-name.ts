import { formatPointer } from '../../../core/schema/index.ts'

/**
 * The JSON pointer of the first field that appears twice in its object. JSON does not define which of the two
 * counts, so two readers could see different alerts. One pass over text that is known to be valid JSON.
 */
export function findDuplicateName(text: string): string | undefined {
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
        if (level.names.has(name)) return formatPointer(open.map((one) => one.at))
        level.names.add(name)
      }
      at = end
    } else if (code === openBrace || code === openBracket) {
      level =
        code === openBrace ? { names: new Set(), nameFollows: true, at: '' } : { at: 0, nameFollows: false }
      open.push(level)
    } else if (code === closeBrace || code === closeBracket) {
      open.pop()
      level = open.at(-1)
    } else if (code === comma && level !== undefined) {
      if (level.names === undefined) level.at = Number(level.at) + 1
      else level.nameFollows = true
    }
  }
  return undefined
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
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++
  return slashes % 2 === 1
}

/** `"\u0061"` and `"a"` are the same name. */
function nameAt(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end)
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw
}
