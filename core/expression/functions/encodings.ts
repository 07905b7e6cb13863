import { createHash } from 'node:crypto'
import { parseJson as readJson, stringifyJson } from '../../json.ts'
import { TocsinError } from '../../plugin/index.ts'
import type { Meter } from '../budget.ts'
import type { Span } from '../errors.ts'
import { maxValueDepth } from '../operators.ts'
import { shorten } from '../time.ts'
import { convertToJson } from '../to-json.ts'
import type { Value } from '../values.ts'
import { global, invalidArgument, text, type ExpressionFunction } from './function.ts'

function json(meter: Meter, span: Span, value: Value): Value {
  return stringifyJson(convertToJson(value, meter, span))
}

function parseJson(meter: Meter, span: Span, value: Value): Value {
  const source = text(value, span)
  // Objects take a multiple of their text.
  meter.allocateText(source.length * 2, span)
  try {
    return readJson(source, { maxDepth: maxValueDepth / 2 }) as Value
  } catch (cause) {
    if (!(cause instanceof TocsinError)) throw cause
    throw invalidArgument(span, `parseJson: ${shorten(cause.message)}`)
  }
}

function sha256(meter: Meter, span: Span, value: Value): Value {
  const source = text(value, span)
  meter.read(source.length * 4, span)
  return createHash('sha256').update(source, 'utf8').digest('hex')
}

function base64(meter: Meter, span: Span, value: Value): Value {
  const source = text(value, span)
  meter.allocateText(source.length * 4, span)
  return Buffer.from(source, 'utf8').toString('base64')
}

const base64Text = /^[A-Za-z0-9+/_-]*={0,2}$/
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function base64Decode(meter: Meter, span: Span, value: Value): Value {
  const source = text(value, span)
  meter.allocateText(source.length, span)
  if (!base64Text.test(source)) throw invalidArgument(span, `'${shorten(source)}' is not base64`)
  try {
    return utf8.decode(Buffer.from(source, 'base64'))
  } catch {
    throw invalidArgument(span, 'the decoded bytes are not UTF-8 text')
  }
}

export const encodingFunctions: readonly ExpressionFunction[] = [
  global('json', ['value -> string'], json),
  global('parseJson', ['string -> any'], parseJson),
  global('sha256', ['string -> string'], sha256),
  global('base64', ['string -> string'], base64),
  global('base64Decode', ['string -> string'], base64Decode),
]
