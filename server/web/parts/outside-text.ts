import type { ApiActor } from '../api/types.ts'

/**
 * Invisible characters and those that change the text direction (Unicode UAX 9, UTS 55, and UAX 44
 * `Default_Ignorable_Code_Point`), which attackers use to disguise text. Allows CRLF, and U+FE0F after an
 * emoji.
 */
const hidden =
  /(?!\t|\n|(?<=\p{Extended_Pictographic})\uFE0F)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu

/** Replaces invisible characters by `‹U+202E›`. Line breaks and tabs stay. */
export function showInvisible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(
      hidden,
      (character) => `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`,
    )
}

/** Indentation stops at this depth, because deep nesting would multiply the size. */
const deepest = 40

/** A token outside of strings, a string, or white space (RFC 8259). */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[\t\n\r ]+|[[\]{},:]|[^"\t\n\r [\]{},:]+/gsu

export interface Indented {
  readonly text: string
  /** Whether nothing was cut. */
  readonly isWhole: boolean
}

/**
 * Indents JSON and changes nothing else: duplicate names, order and digits stay, because an attacker may
 * have written them. Cuts the result at about `limit` characters. Undefined if the text is not a JSON object or
 * list.
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

/** Never cuts a surrogate pair. */
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

/** Characters after which a name may wrap. */
const joints = /(?<=[\p{L}\p{N}][_./:]+)(?=[\p{L}\p{N}])/u

/** Longer texts have spaces. */
const longestName = 200

/** The parts of a name that should not be broken, such as `unexpected_`, `service`. */
export const nameParts = (name: string): readonly string[] =>
  name.length > longestName ? [name] : name.split(joints)

/** The name of an actor. API keys show their id too, because anyone can choose a name. */
export function actorText({ kind, id, name }: ApiActor): string {
  if (kind === 'account' || kind === 'server') return name
  return `${name} (${kind === 'api_key' ? `API key ${id}`.trimEnd() : kind})`
}

/** Address of a step in the view of its run. */
export const stepHref = (runUuid: string, path: string): string =>
  `/runs/${runUuid}?${new URLSearchParams({ step: path }).toString()}`
