import { parseJson as readJson, stringifyJson } from '../../../common/json.ts'
import { percentEncode, TocsinError } from '../../../plugin/index.ts'
import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import { maxValueDepth } from '../../values/operators.ts'
import { shorten } from '../../values/time.ts'
import { convertToJson } from '../../values/to-json.ts'
import type { Value } from '../../values/values.ts'
import {
  global,
  invalidArgument,
  method,
  stringArgument,
  type ExpressionFunction,
  type FunctionBody,
} from '../function.ts'

/** Creating a stack trace would be slow. */
const errorFuel = 50

function json(meter: Meter, span: Span, value: Value): Value {
  return stringifyJson(convertToJson(value, meter, span))
}

/** Numbers that may exceed 2^53 are parsed separately. */
const longNumber = /\d{16}/
/** Parsing this many digits as one number is slow. */
const endlessNumber = /\d{5000}/

function parseJson(meter: Meter, span: Span, value: Value): Value {
  const source = stringArgument(value, span)
  // Objects take several times the memory of their text.
  meter.allocateText(source.length * 2, span)
  meter.spend(source.length >>> (longNumber.test(source) ? 3 : 4), span)
  if (endlessNumber.test(source)) throw invalidArgument(span, 'parseJson: a number has 5,000 digits or more')
  try {
    return readJson(source, { maxDepth: maxValueDepth / 2 }) as Value
  } catch (cause) {
    if (!(cause instanceof TocsinError)) throw cause
    meter.spend(errorFuel, span)
    throw invalidArgument(span, `parseJson: ${shorten(cause.message)}`)
  }
}

interface Charset {
  readonly encoding: BufferEncoding
  /** Throws for bytes that are no text. */
  readonly decode: (bytes: Buffer) => string
}

function charset(name: string, encoding: BufferEncoding): [string, Charset] {
  const decoder = new TextDecoder(name, { fatal: true, ignoreBOM: encoding === 'utf8' })
  return [name, { encoding, decode: (bytes) => decoder.decode(bytes) }]
}

const latin1: Charset = { encoding: 'latin1', decode: (bytes) => bytes.toString('latin1') }
const charsets: ReadonlyMap<string, Charset> = new Map([
  charset('utf-8', 'utf8'),
  charset('utf-16le', 'utf16le'),
  ['latin1', latin1],
])
const utf8 = charsets.get('utf-8')!
const longestCharset = 10

/** How text is written as bytes; UTF-8 unless it is given. */
function charsetOf(name: Value | undefined, span: Span): Charset {
  if (name === undefined) return utf8
  const written = stringArgument(name, span)
  const found = written.length > longestCharset ? undefined : charsets.get(written.toLowerCase())
  if (found) return found
  const message = `'${shorten(written)}' is not a known character set`
  throw invalidArgument(span, message, 'it is one of utf-8, utf-16le and latin1')
}

const encodeWith =
  (encoding: 'base64' | 'hex'): FunctionBody =>
  (meter, span, value, name) => {
    const source = stringArgument(value, span)
    meter.allocateText(source.length * 4, span)
    return Buffer.from(source, charsetOf(name, span).encoding).toString(encoding)
  }

const base64Text = /^([A-Za-z0-9+/_-]*)={0,2}$/

function base64Decode(meter: Meter, span: Span, value: Value, name: Value | undefined): Value {
  const source = stringArgument(value, span)
  meter.allocateText(source.length, span)
  meter.search(source.length, span)
  const [, written] = base64Text.exec(source) ?? []
  // A single character after the groups of four encodes no byte.
  if (written === undefined || written.length % 4 === 1)
    throw invalidArgument(span, `'${shorten(source)}' is not base64`)
  return decodeBytes(Buffer.from(source, 'base64'), name, span)
}

function hexDecode(meter: Meter, span: Span, value: Value, name: Value | undefined): Value {
  const source = stringArgument(value, span)
  meter.allocateText(source.length, span)
  meter.search(source.length, span)
  if (source.length % 2 === 1 || !/^[\da-fA-F]*$/.test(source))
    throw invalidArgument(span, `'${shorten(source)}' is not hexadecimal`)
  return decodeBytes(Buffer.from(source, 'hex'), name, span)
}

function decodeBytes(bytes: Buffer, name: Value | undefined, span: Span): string {
  const { decode } = charsetOf(name, span)
  try {
    return decode(bytes)
  } catch {
    const hint = name === undefined ? 'for a PowerShell command, add the character set "utf-16le"' : undefined
    throw invalidArgument(span, `the decoded bytes are not ${name === undefined ? 'UTF-8 ' : ''}text`, hint)
  }
}

function urlEncode(meter: Meter, span: Span, value: Value): Value {
  const source = stringArgument(value, span)
  // One character becomes up to nine.
  meter.allocateText(source.length * 9, span)
  meter.spend(source.length >>> 3, span)
  return percentEncode(source)
}

/** Escapes that do not decode to valid UTF-8 stay unchanged. */
function urlDecode(meter: Meter, span: Span, value: Value): Value {
  const source = stringArgument(value, span)
  meter.rewrite(source.length, span)
  meter.allocateText(source.length * 2, span)
  return source.replaceAll(/(?:%[\da-fA-F]{2})+/g, (written) => {
    try {
      return utf8.decode(Buffer.from(written.replaceAll('%', ''), 'hex'))
    } catch {
      meter.spend(1, span)
      return written
    }
  })
}

const withCharset = ['string -> string', 'string, string -> string']
const tries = [undefined, charsetOf]

export const encodingFunctions: readonly ExpressionFunction[] = [
  global('json', ['value -> string'], json, { price: 3 }),
  global('parseJson', ['string -> any'], parseJson, { price: 6 }),
  global('base64.encode', withCharset, encodeWith('base64'), { tries, price: 2 }),
  global('base64.decode', withCharset, base64Decode, { tries, price: 3 }),
  global('base64', ['string -> string'], encodeWith('base64'), { price: 2 }),
  global('base64Decode', ['string -> string'], base64Decode, { price: 3 }),
  global('hex.encode', withCharset, encodeWith('hex'), { tries, price: 2 }),
  global('hex.decode', withCharset, hexDecode, { tries, price: 3 }),
  global('urlEncode', ['string -> string'], urlEncode, { price: 4 }),
  method('urlEncode', ['string -> string'], urlEncode, { price: 4 }),
  global('urlDecode', ['string -> string'], urlDecode, { price: 4 }),
]
