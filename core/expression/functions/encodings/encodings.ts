import { createHash } from 'node:crypto'
import { parseJson as readJson, stringifyJson } from '../../../common/json.ts'
import { percentEncode, TocsinError } from '../../../plugin/index.ts'
import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import { maxValueDepth } from '../../values/operators.ts'
import { shorten } from '../../values/time.ts'
import { convertToJson } from '../../values/to-json.ts'
import type { Value } from '../../values/values.ts'
import { global, invalidArgument, method, stringArgument, type ExpressionFunction } from '../function.ts'

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

function sha256(meter: Meter, span: Span, value: Value): Value {
  const source = stringArgument(value, span)
  meter.read(source.length * 4, span)
  return createHash('sha256').update(source, 'utf8').digest('hex')
}

function base64(meter: Meter, span: Span, value: Value): Value {
  const source = stringArgument(value, span)
  meter.allocateText(source.length * 4, span)
  return Buffer.from(source, 'utf8').toString('base64')
}

const base64Text = /^([A-Za-z0-9+/_-]*)={0,2}$/
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function base64Decode(meter: Meter, span: Span, value: Value): Value {
  const source = stringArgument(value, span)
  meter.allocateText(source.length, span)
  const [, written] = base64Text.exec(source) ?? []
  // A single character after the groups of four encodes no byte.
  if (written === undefined || written.length % 4 === 1)
    throw invalidArgument(span, `'${shorten(source)}' is not base64`)
  try {
    return utf8.decode(Buffer.from(source, 'base64'))
  } catch {
    throw invalidArgument(span, 'the decoded bytes are not UTF-8 text')
  }
}

function urlEncode(meter: Meter, span: Span, value: Value): Value {
  const source = stringArgument(value, span)
  // One character becomes up to nine.
  meter.allocateText(source.length * 9, span)
  meter.spend(source.length >>> 3, span)
  return percentEncode(source)
}

export const encodingFunctions: readonly ExpressionFunction[] = [
  global('json', ['value -> string'], json, { price: 3 }),
  global('parseJson', ['string -> any'], parseJson, { price: 6 }),
  global('sha256', ['string -> string'], sha256, { price: 4 }),
  global('base64', ['string -> string'], base64, { price: 2 }),
  global('base64Decode', ['string -> string'], base64Decode, { price: 3 }),
  global('urlEncode', ['string -> string'], urlEncode, { price: 4 }),
  method('urlEncode', ['string -> string'], urlEncode, { price: 4 }),
]
