import { TocsinError } from '../plugin/index.ts'

// `JSON.rawJSON` and the reviver's context are in Node 22 and later, but not yet in TypeScript's es2024 library.
interface JsonWithSource {
  rawJSON(text: string): unknown
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown
}
const sourceJson = JSON as unknown as JsonWithSource

export interface ParseJsonOptions {
  /** How deep objects and arrays may be nested. Default 100. Infinity: the caller has checked it. */
  readonly maxDepth?: number
}

const integerLiteral = /^-?\d+$/

/**
 * Reads JSON without losing anything: integers beyond 2^53 become bigint, and keys such as `__proto__` are ordinary own
 * fields at every depth. The nesting depth is checked in a linear scan before anything is parsed.
 *
 * @throws TocsinError `json_too_deep`, `json_invalid`
 * @example parseJson('{"id": 9007199254740993}') // { id: 9007199254740993n }
 */
export function parseJson(text: string, options: ParseJsonOptions = {}): unknown {
  const maxDepth = options.maxDepth ?? 100
  if (maxDepth !== Infinity) checkDepth(text, maxDepth)
  try {
    const value: unknown = JSON.parse(text)
    return hasLargeNumber(value) ? sourceJson.parse(text, exactInteger) : value
  } catch (cause) {
    if (cause instanceof RangeError) throw new TocsinError('json_too_deep', 'JSON is nested too deep')
    throw new TocsinError('json_invalid', `not valid JSON: ${(cause as Error).message}`, { cause })
  }
}

/**
 * Writes JSON. Bigints are written as plain integers; fields that are undefined are left out.
 *
 * @param indent spaces for each level; default: all on one line
 * @throws TocsinError `json_invalid` when the value has no JSON form, `json_too_deep` when it is nested beyond the stack
 * @example stringifyJson({ id: 9007199254740993n }) // '{"id":9007199254740993}'
 */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    const text = plainJson(value, indent) ?? withBigints(value, indent)
    if (text !== undefined) return text
  } catch (cause) {
    if (cause instanceof RangeError)
      throw new TocsinError('json_too_deep', 'the value is nested too deep for JSON')
    throw new TocsinError('json_invalid', `the value has no JSON form: ${(cause as Error).message}`, {
      cause,
    })
  }
  throw new TocsinError('json_invalid', `a ${typeof value} has no JSON form`)
}

const withBigints = (value: unknown, indent: number | undefined): string | undefined =>
  JSON.stringify(value, rawInteger, indent)

/** Undefined if the value contains a bigint: writing it needs a replacer, which is several times slower. */
function plainJson(value: unknown, indent: number | undefined): string | undefined {
  try {
    return JSON.stringify(value, null, indent)
  } catch {
    return undefined
  }
}

/** A number of at least 2^53: its text may be an integer that a double cannot hold. Few texts have one, and a reviver is slow. */
function hasLargeNumber(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasLargeNumber)
  for (const name in value)
    if (hasLargeNumber((value as Readonly<Record<string, unknown>>)[name])) return true
  return false
}

// A reviver writes back with [[CreateDataProperty]], so that `__proto__` stays an own field here as well.
function exactInteger(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  return context.source !== undefined && integerLiteral.test(context.source) ? BigInt(context.source) : value
}

const rawInteger = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? sourceJson.rawJSON(value.toString()) : value

const quote = 0x22
const backslash = 0x5c

function checkDepth(text: string, maxDepth: number): void {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = endOfString(text, at)
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > maxDepth) throw nestedTooDeep(maxDepth, at)
    } else if (code === 0x5d || code === 0x7d) {
      depth--
    }
  }
}

export const nestedTooDeep = (maxDepth: number, position: number): TocsinError =>
  new TocsinError('json_too_deep', `JSON is nested deeper than ${maxDepth} levels`, { details: { position } })

/** Position of the closing quote, or the end of the text if it is missing. */
export function endOfString(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let slashes = 0
    while (text.charCodeAt(close - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return close
  }
  return text.length
}
