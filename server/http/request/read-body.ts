import type { IncomingMessage } from 'node:http'
import { getRawBody } from 'raw-body'
import { ValidationError } from '../../../core/errors/errors.ts'
import { parseJson } from '../../../core/common/json.ts'
import { TocsinError } from '../../../core/plugin/index.ts'
import { findDuplicateName } from './duplicate-name.ts'
import { findLoneSurrogate } from './lone-surrogate.ts'
import { findOddNumber } from './odd-number.ts'
import { RequestError } from './request-error.ts'

/** Refuses wrong bytes instead of replacing them: alert content is kept as it was sent. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Objects and arrays in a body may be nested so deep. */
const maxDepth = 64

/**
 * The JSON body of a request. Throws RequestError for everything that is not a whole, plain, well-formed JSON body of at most
 * `limit` bytes, TocsinError `json_invalid`, `json_too_deep`, and ValidationError `value_invalid` for numbers that would not stay what they are.
 */
export async function readJsonBody(request: IncomingMessage, limit: number): Promise<unknown> {
  requireBody(request)
  requirePlainJson(request)
  const bytes = await readBytes(request, limit)
  if (bytes.length === 0) throw bodyMissing()
  const text = decode(bytes)
  const value = parse(text)
  const duplicate = findDuplicateName(text)
  if (duplicate !== undefined) {
    throw new RequestError(
      'json_duplicate_name',
      'A field stands in the body twice; readers would not agree on its value.',
      {
        errors: [{ pointer: duplicate, message: 'stands here a second time' }],
      },
    )
  }
  const odd = findOddNumber(text, value)
  if (odd !== undefined) {
    const message = 'must be an int64, or a number that a double can hold: it would not stay what it is'
    throw new ValidationError('value_invalid', `${odd} ${message}`, [{ pointer: odd, message }], {
      hint: 'send it as a text',
    })
  }
  const broken = findLoneSurrogate(text, value)
  if (broken !== undefined) {
    throw new RequestError(
      'body_not_well_formed',
      'The body holds half of a surrogate pair, which is no Unicode text.',
      {
        errors: [{ pointer: broken, message: 'holds a lone surrogate (\\ud800 to \\udfff)' }],
        hint: 'write characters beyond U+FFFF as a whole pair, or as UTF-8',
      },
    )
  }
  return value
}

function bodyMissing(): RequestError {
  return new RequestError('body_missing', undefined, {
    hint: 'send a JSON object with Content-Type: application/json',
  })
}

function requireBody({ headers }: IncomingMessage): void {
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0)
    throw bodyMissing()
}

const jsonType = /^application\/json *(; *charset="?utf-8"? *)?$/i

/** Throws RequestError `content_type_unsupported`, `content_encoding_unsupported`. */
export function requirePlainJson({ headers }: IncomingMessage): void {
  const type = headers['content-type'] ?? ''
  if (!jsonType.test(type)) {
    throw new RequestError(
      'content_type_unsupported',
      `The Content-Type '${type.slice(0, 100)}' is not application/json.`,
      {
        hint: 'send Content-Type: application/json; the encoding is UTF-8',
      },
    )
  }
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    throw new RequestError(
      'content_encoding_unsupported',
      `The Content-Encoding '${encoding.slice(0, 100)}' is not taken.`,
      {
        hint: 'send the body without Content-Encoding',
      },
    )
  }
}

/** All of a body. Throws RequestError `body_too_large`, `body_interrupted`. */
export async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  const length = request.headers['content-length'] ?? null
  try {
    return await getRawBody(request, { limit, length })
  } catch (cause) {
    const { type } = cause as { type?: string }
    if (type !== 'entity.too.large') throw new RequestError('body_interrupted', undefined, { cause })
    throw new RequestError('body_too_large', `The body is larger than ${limit} bytes.`, {
      hint: 'send less; large evidence belongs in a store of its own, with a link in the alert',
    })
  }
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new RequestError('body_not_utf8', undefined, { hint: 'encode the body as UTF-8', cause })
  }
}

/** The parser quotes what it stumbles over, and that can be a secret: only the position is passed on. */
function parse(text: string): unknown {
  try {
    return parseJson(text, { maxDepth })
  } catch (error) {
    if (!(error instanceof TocsinError) || error.code !== 'json_invalid') throw error
    const [place] = /position \d+ \(line \d+ column \d+\)/.exec(error.message) ?? []
    const where = place === undefined ? '' : `, at ${place}`
    throw new TocsinError('json_invalid', `The body is not valid JSON${where}.`, {
      hint: 'quotes and backslashes inside a text are written as \\" and \\\\',
    })
  }
}
