import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { getRawBody } from 'raw-body'
import { ValidationError } from '../../../core/errors/errors.ts'
import { parseJson } from '../../../core/common/json.ts'
import { TocsinError } from '../../../core/plugin/index.ts'
import { findDuplicateName } from './duplicate-name.ts'
import { findLoneSurrogate, findOddNumber, isOdd } from './json-checks.ts'
import { RequestError } from './request-error.ts'

/** Rejects invalid bytes: alert content is stored unchanged. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Maximum nesting of a body. */
const maxDepth = 64

/**
 * The JSON body of a request.
 *
 * @throws RequestError for a missing, cut off, oversized or malformed body, TocsinError `json_invalid`,
 * `json_too_deep`, ValidationError `value_invalid` for numbers out of range
 */
export async function readJsonBody(request: IncomingMessage, limit: number): Promise<unknown> {
  requireBody(request)
  requirePlainJson(request)
  const bytes = await readRequestBytes(request, limit)
  if (bytes.length === 0) throw bodyMissing()
  const text = decode(bytes)
  const duplicate = findDuplicateName(text, maxDepth)
  const value = parse(text)
  if (duplicate !== undefined) {
    throw new RequestError(
      'json_duplicate_name',
      'A field appears twice in the body; parsers would disagree about its value.',
      {
        errors: [{ pointer: duplicate, message: 'appears here a second time' }],
      },
    )
  }
  if (isOdd(value)) refuseOdd(value)
  return value
}

function refuseOdd(value: unknown): void {
  const odd = findOddNumber(value)
  if (odd !== undefined) {
    const message = 'must be an int64, or a number within the range of a double'
    throw new ValidationError('value_invalid', `${odd} ${message}`, [{ pointer: odd, message }], {
      hint: 'send it as a string',
    })
  }
  const broken = findLoneSurrogate(value)
  if (broken !== undefined) {
    throw new RequestError(
      'body_not_well_formed',
      'The body contains half of a surrogate pair, which is not valid Unicode.',
      {
        errors: [{ pointer: broken, message: 'contains a lone surrogate (\\ud800 to \\udfff)' }],
        hint: 'write characters beyond U+FFFF as a surrogate pair, or as UTF-8',
      },
    )
  }
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
  requireUncompressed(headers)
}

function requireUncompressed(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    throw new RequestError(
      'content_encoding_unsupported',
      `The Content-Encoding '${encoding.slice(0, 100)}' is not supported.`,
      {
        hint: 'send the body without Content-Encoding',
      },
    )
  }
}

/** Throws RequestError `body_too_large`, `body_interrupted`. */
export async function readRequestBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  const length = request.headers['content-length'] ?? null
  try {
    return await getRawBody(request, { limit, length })
  } catch (cause) {
    const { type } = cause as { type?: string }
    if (type !== 'entity.too.large') throw new RequestError('body_interrupted', undefined, { cause })
    throw new RequestError('body_too_large', `The body is larger than ${limit} bytes.`, {
      hint: 'send less; store large evidence elsewhere and put a link into the alert',
    })
  }
}

export interface StreamedBody {
  /** Whether a repeated request has the content of the first one, whose response is given. */
  readonly isSame: (replayed: { readonly body?: unknown }, sha256: string) => boolean
}

/** A body that arrives while it is read. */
export interface BodyStream {
  /** Rejects with RequestError `body_interrupted`. */
  readonly content: AsyncIterable<Uint8Array>
  /** Bytes, if the sender announced them. */
  readonly size: number | undefined
  /** Of the whole content, in hex; reads what is left of it. Rejects with RequestError `body_interrupted`. */
  sha256(): Promise<string>
}

/**
 * A body to be read while it arrives. Leaving it early does not close the connection, so that the client receives the answer.
 *
 * @throws RequestError `content_encoding_unsupported`
 */
export function streamOfBody(request: IncomingMessage): BodyStream {
  requireUncompressed(request.headers)
  const { 'transfer-encoding': encoding, 'content-length': length = '0' } = request.headers
  const hash = createHash('sha256')
  async function* chunks(): AsyncGenerator<Uint8Array> {
    if (request.readableEnded) return
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
        hash.update(chunk)
        yield chunk
      }
    } catch (cause) {
      throw new RequestError('body_interrupted', undefined, { cause })
    }
  }
  return {
    content: chunks(),
    size: encoding === undefined ? Number(length) : undefined,
    async sha256() {
      for await (const _ of chunks());
      return hash.digest('hex')
    },
  }
}

/**
 * A body that is text of any format.
 *
 * @throws RequestError `body_missing`, `content_encoding_unsupported`, `body_not_utf8`
 */
export function textOfBody(bytes: Uint8Array, headers: IncomingHttpHeaders): string {
  requireUncompressed(headers)
  if (bytes.length === 0)
    throw new RequestError('body_missing', undefined, { hint: 'send the alert as the body' })
  return decode(bytes)
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new RequestError('body_not_utf8', undefined, { hint: 'encode the body as UTF-8', cause })
  }
}

/** The parser quotes the invalid text, which may be a secret: only its position is shown. */
function parse(text: string): unknown {
  try {
    return parseJson(text, { maxDepth: Infinity })
  } catch (error) {
    if (!(error instanceof TocsinError) || error.code !== 'json_invalid') throw error
    const [place] = /position \d+ \(line \d+ column \d+\)/.exec(error.message) ?? []
    const where = place === undefined ? '' : `, at ${place}`
    throw new TocsinError('json_invalid', `The body is not valid JSON${where}.`, {
      hint: 'escape quotes and backslashes inside a string as \\" and \\\\',
    })
  }
}
