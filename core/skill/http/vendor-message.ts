import { parseJson } from '../../common/json.ts'
import { isObject, type JsonObject } from '../../plugin/index.ts'

const maxLength = 300
/** Most characters of a body that are read: messages are at the beginning, and the body may be hostile. */
const maxRead = 262_144
/** Depth of the search in objects. */
const maxDepth = 3
/** Most entries read from a list of errors. */
const maxListed = 3

/** Fields with a sentence for people, in lower case and in order of preference. */
const sentences = [
  'error_description',
  'errorsummary',
  'message',
  'status_message',
  'errormessage',
  'error_message',
  'faultstring',
  'reason',
  'detail',
  'description',
  'text',
  'msg',
  'title',
]
/** Fields with nested objects, lists or texts about the error. */
const containers = ['error', 'errors', 'errormessages', 'messages', 'fault', 'status', 'response', 'meta']
/** Fields that add details to the sentence. */
const additions = ['detail', 'errors', 'errorcauses', 'details']
/** Fields used if there is no sentence. */
const words = ['error', 'code', 'errorcode', '__type']

/** The error message of an answer for people, on one line of limited length; undefined if there is none. */
export function vendorMessage(body: string): string | undefined {
  const text = body.slice(0, maxRead).trim()
  if (text === '') return undefined
  const said = /^[[{"]/.test(text) ? fromJsonOrLines(text) : text.startsWith('<') ? fromMarkup(text) : text
  return said === undefined ? undefined : oneLine(said)
}

/**
 * Makes text safe for a message: one line, without invisible or direction-changing characters, at most 300
 * characters.
 */
export function oneLine(said: string): string | undefined {
  const line = said
    .slice(0, maxLength * 10)
    // oxlint-disable-next-line no-control-regex -- they are what is taken out
    .replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .trim()
  if (line === '') return undefined
  return line.length > maxLength ? `${line.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')}…` : line
}

/** JSON, or one JSON value per line. */
function fromJsonOrLines(text: string): string | undefined {
  const end = text.indexOf('\n')
  return fromJson(text) ?? (end === -1 ? undefined : fromJson(text.slice(0, end)))
}

function fromJson(text: string): string | undefined {
  try {
    const value = parseJson(text, { maxDepth: 20 })
    return find(value, maxDepth) ?? findAnywhere(value)
  } catch {
    return undefined
  }
}

/** Most values searched if no known field has a message. */
const maxLooked = 300
/** `err_msg`, `ErrorDescription`, `exception`, `failureReason`. */
const likeMessage = /err|exception|fault|fail|reason|message|msg|detail|descri|info|text/i

/** Fields used as a last resort. */
const lastWord = /^(status|type)$/i

/** The topmost text in a field named like a message; else the first that reads like a sentence; else a status. */
function findAnywhere(value: unknown): string | undefined {
  const queue: { readonly name: string; readonly value: unknown; readonly below: boolean }[] = [
    { name: '', value, below: false },
  ]
  let sentence: string | undefined
  let word: string | undefined
  for (let at = 0; at < queue.length && at < maxLooked; at++) {
    const { name, value: here, below } = queue[at]!
    const isLike = likeMessage.test(name)
    const text = textOf(here)
    if (text !== undefined) {
      const isSentence = /\p{L}\s+\p{L}/u.test(text)
      if (isLike || (below && isSentence)) return text
      if (lastWord.test(name)) word ??= text
      if (isSentence) sentence ??= name === '' ? text : `${name.slice(0, 60)}: ${text}`
    } else if (Array.isArray(here)) {
      queue.push(...here.slice(0, maxListed).map((one: unknown) => ({ name, value: one, below })))
    } else if (isObject(here)) {
      const fields = Object.entries(here).slice(0, maxLooked)
      queue.push(...fields.map(([key, inner]) => ({ name: key, value: inner, below: below || isLike })))
    }
  }
  return sentence ?? word
}

function find(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (Array.isArray(value)) return joined(value.slice(0, maxListed).map((one: unknown) => find(one, depth)))
  if (!isObject(value) || depth === 0) return undefined
  const fields = inLowerCase(value)
  const lead = firstOf(sentences, (name) => textOf(fields.get(name)))
  if (lead !== undefined) {
    return joined([lead, ...additions.map((name) => find(fields.get(name), depth - 1))])
  }
  const within = (name: string): string | undefined => {
    const inner = fields.get(name)
    if (typeof inner === 'string') return undefined
    return find(inner, depth - 1) ?? (name === 'errors' ? byField(inner) : undefined)
  }
  const nested =
    firstOf(containers, within) ?? firstOf(sentences, (name) => find(fields.get(name), depth - 1))
  return nested ?? firstOf(words, (name) => textOf(fields.get(name)))
}

/** Errors by field: `{ "summary": "A summary is required." }`. */
function byField(value: unknown): string | undefined {
  if (!isObject(value)) return undefined
  const entries = Object.entries(value).slice(0, maxListed)
  return joined(
    entries.map(([name, inner]) => {
      const said = find(inner, 1)
      return said === undefined ? undefined : `${name.slice(0, 60)}: ${said}`
    }),
  )
}

/** Without duplicates and without parts of others. */
function joined(parts: readonly (string | undefined)[]): string | undefined {
  const kept: string[] = []
  for (const part of parts) {
    if (part !== undefined && !kept.some((other) => other.includes(part))) kept.push(part)
  }
  return kept.length === 0 ? undefined : kept.join('; ')
}

/** Systems mix `message` and `Message`. */
function inLowerCase(value: JsonObject): ReadonlyMap<string, unknown> {
  const fields = new Map<string, unknown>()
  for (const [name, inner] of Object.entries(value)) {
    const lower = name.toLowerCase()
    if (!fields.has(lower)) fields.set(lower, inner)
  }
  return fields
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

function firstOf(names: readonly string[], look: (name: string) => string | undefined): string | undefined {
  for (const name of names) {
    const found = look(name)
    if (found !== undefined) return found
  }
  return undefined
}

/** Bounded quantifiers, so that no body takes long. */
const xmlCode = /<(?:\w{1,20}:)?(?:code|faultcode)>([^<]{1,200})</i
const xmlSentence =
  /<(?:\w{1,20}:)?(?:message|faultstring|errormessage|msg|reason|text|detail)(?: [^<>]{0,200})?>([^<]{1,2000})</i
const cdata = /<!\[CDATA\[([^\]]{0,2000})\]\]>/g
const htmlTitle = /<(?:title|h1)(?: [^<>]{0,200})?>([^<]{1,2000})</i

/** XML of AWS and SOAP; the title of an HTML page. */
function fromMarkup(markup: string): string | undefined {
  const text = markup.replace(cdata, (_, inner: string) => inner.replaceAll('<', '&lt;'))
  const isPage = /^<(?:!doctype html|html|head|body)\b/i.test(text)
  const sentence = isPage ? undefined : xmlSentence.exec(text)?.[1]
  const code = sentence === undefined || isPage ? undefined : xmlCode.exec(text)?.[1]
  const said = sentence ?? htmlTitle.exec(text)?.[1]
  if (said === undefined) return undefined
  const plain = withoutEntities(said).trim()
  if (plain === '') return undefined
  return code === undefined ? plain : `${withoutEntities(code).trim()}: ${plain}`
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&nbsp;': ' ',
  '&amp;': '&',
}

const withoutEntities = (text: string): string =>
  text.replace(/&(?:lt|gt|quot|apos|#39|nbsp|amp);/g, (entity) => entities[entity] ?? entity)
