import { parseJson } from '../json.ts'

const maxLength = 300
/** Where systems put the sentence for people, tried in this order, also one level down. */
const fields = [
  'message',
  'status_message',
  'error_description',
  'detail',
  'title',
  'error',
  'status',
  'code',
]

/** What an error answer says to people, on one line; undefined for HTML and for bodies that say nothing. */
export function vendorMessage(body: string): string | undefined {
  const text = body.slice(0, 65_536).trim()
  if (text === '' || text.startsWith('<')) return undefined
  const said = text.startsWith('{') ? fromJson(text) : text
  if (said === undefined) return undefined
  // oxlint-disable-next-line no-control-regex -- they are what is taken out
  const line = said.replace(/[\s\u0000-\u001f\u007f]+/g, ' ').trim()
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line
}

function fromJson(text: string): string | undefined {
  try {
    return find(parseJson(text, { maxDepth: 20 }), 2)
  } catch {
    return undefined
  }
}

function find(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string' && value !== '') return value
  if (typeof value !== 'object' || value === null || depth < 0) return undefined
  for (const field of fields) {
    const found = Object.hasOwn(value, field)
      ? find((value as Record<string, unknown>)[field], depth - 1)
      : undefined
    if (found !== undefined) return found
  }
  return undefined
}
