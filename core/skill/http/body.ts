import { decodeText, maxFileBytes } from '../../common/read-body.ts'
import { stringifyJson } from '../../common/json.ts'
import { SkillError, type ExpectedBytes, type HttpRequest, type MultipartPart } from '../../plugin/index.ts'
import type { EgressResponse } from '../../ports/egress.ts'

/** A body as it is sent. */
export interface EncodedBody {
  readonly body: string | Uint8Array | undefined
  /** Names in lower case. */
  readonly contentType: Readonly<Record<string, string>>
}

/** @throws SkillError `bad_request`, `request_too_large` */
export async function encodeBody(wanted: HttpRequest): Promise<EncodedBody> {
  const { json, form, multipart, body } = wanted
  if ([json, form, multipart, body].filter((one) => one !== undefined).length > 1) {
    throw new SkillError('bad_request', 'a request has one body: json, form, multipart or body')
  }
  if (json !== undefined) return encoded('application/json', stringifyJson(json))
  if (form !== undefined) {
    return encoded('application/x-www-form-urlencoded', new URLSearchParams(form).toString())
  }
  if (multipart !== undefined) return await encodeParts(multipart)
  if (typeof body === 'object') return encoded('application/octet-stream', body)
  return body === undefined ? { body, contentType: {} } : { ...encoded('', body), contentType: {} }
}

function encoded(type: string, body: string | Uint8Array): EncodedBody {
  // A text has at least as many bytes as characters.
  if (body.length > maxFileBytes) throw requestTooLarge(body.length)
  return { body, contentType: { 'content-type': type } }
}

/** Node encodes the form and chooses its boundary. */
async function encodeParts(parts: readonly MultipartPart[]): Promise<EncodedBody> {
  const size = parts.reduce((sum, { value }) => sum + value.length, 0)
  if (size > maxFileBytes) throw requestTooLarge(size)
  const form = new FormData()
  for (const part of parts) {
    const { name, value, filename, contentType = 'application/octet-stream' } = part
    if (filename !== undefined) form.append(name, new Blob([value], { type: contentType }), filename)
    else if (typeof value === 'string' && part.contentType === undefined) form.append(name, value)
    else throw new SkillError('bad_request', `the part '${name}' of the form is a file without a filename`)
  }
  const response = new Response(form)
  return encoded(response.headers.get('content-type') ?? '', new Uint8Array(await response.arrayBuffer()))
}

function requestTooLarge(size: number): SkillError {
  const [megabytes, most] = [Math.ceil(size / 1_048_576), maxFileBytes / 1_048_576]
  return new SkillError(
    'request_too_large',
    `the body of the request has ${megabytes} MB, more than ${most} MB`,
    {
      hint: 'send a smaller file',
      effect: 'none',
    },
  )
}

/** The most bytes to read of an answer; undefined: it is read as text. */
export const maxBytesOf = (expected: ExpectedBytes | undefined): number | undefined =>
  expected && Math.min(expected.maxBytes ?? maxFileBytes, maxFileBytes)

/** An answer that was read as bytes, as text: the message of an error. */
export function asText(response: EgressResponse): EgressResponse {
  const { bytes, headers } = response
  if (bytes === undefined) return response
  return { ...response, body: decodeText(Buffer.from(bytes), headers['content-type']), bytes: undefined }
}

/**
 * Rejects a file of an unexpected type.
 *
 * @param what method and address of the request
 * @throws SkillError `bad_response`
 */
export function checkContentType(
  { contentTypes }: ExpectedBytes,
  { headers }: EgressResponse,
  what: string,
): void {
  const given = headers['content-type'] ?? 'application/octet-stream'
  const type = given.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const fits = (accepted: string): boolean =>
    accepted.endsWith('/*') ? type.startsWith(accepted.slice(0, -1)) : type === accepted
  if (contentTypes === undefined || contentTypes.some((one) => fits(one.toLowerCase()))) return
  const shown = type.length > 100 ? `${type.slice(0, 100)}…` : type
  throw new SkillError(
    'bad_response',
    `the answer of ${what} is ${shown}, not ${contentTypes.join(' or ')}`,
    {
      hint: 'check the address: a proxy or a sign-in page may have answered instead',
    },
  )
}
