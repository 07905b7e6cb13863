import { SkillError, type HttpClient, type HttpRequest, type RequestPath } from 'tocsin/plugin'

/** Maximum characters of a body in the output. */
const maxText = 65_536
/** Maximum characters of a body that is parsed as JSON. */
const maxJson = 1_048_576

/**
 * Characters that may be percent-encoded in a path: no control characters, and none of `%`, `.`, `/`, `;` and
 * `\`.
 */
const encoded = '%[46-9a-fA-F][0-9a-fA-F]|%2[0-46-9a-dA-D]|%3[0-9ac-fAC-F]|%5[0-9abABd-fD-F]'

/** Inputs that `get` and `send` share. */
export const requestProperties = {
  url: {
    type: 'string',
    format: 'uri',
    description:
      'An absolute, public https address without credentials in it, for a step without a connection. Give either url or path.',
  },
  path: {
    type: ['string', 'array'],
    items: { type: ['string', 'integer'] },
    minItems: 1,
    pattern: `^/(([^/?#%;\\\\\\s]|${encoded})([^?#%;\\\\\\s]|${encoded})*)?$`,
    patternErrorMessage:
      "must begin with one '/', without query, '#', ';', '\\', spaces, %25, %2e, %2f, %3b and %5c; give values as items of a list, and the query as `query`",
    'x-path': true,
    description:
      "Path below the base URL of the step's connection: a list of segments, `[devices, '${{ alert.data.id }}', notes]`, each percent-encoded, or a text such as `/devices/7`. A path that could lead elsewhere is rejected.",
  },
  query: {
    type: 'object',
    description: 'Query parameters, percent-encoded. A list repeats its name.',
    additionalProperties: {
      type: ['string', 'number', 'boolean', 'array'],
      items: { type: ['string', 'number', 'boolean'] },
    },
  },
  headers: { type: 'object', additionalProperties: { type: 'string' } },
  accept_statuses: {
    type: 'array',
    description: 'Statuses outside 200-299 that are not errors, e.g. 404.',
    items: { type: 'integer', minimum: 100, maximum: 599 },
  },
} as const

export const answerSchema = {
  type: 'object',
  required: ['status', 'headers', 'text', 'truncated'],
  properties: {
    status: { type: 'integer' },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Names in lower case.',
    },
    text: { type: 'string', description: 'The first 65,536 characters of the body.' },
    truncated: { type: 'boolean', description: 'Whether the body is longer than `text`.' },
    json: { description: 'The parsed body, if it is JSON of at most 1,048,576 characters.' },
  },
} as const

export interface WantedRequest {
  readonly url?: string | undefined
  readonly path?: RequestPath | undefined
  readonly query?: HttpRequest['query']
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly accept_statuses?: readonly number[] | undefined
}

/** Implementation shared by `get` and `send`. */
export async function request(
  http: HttpClient,
  connected: boolean,
  wanted: WantedRequest,
  more: Pick<HttpRequest, 'method' | 'json' | 'body'>,
): Promise<{
  status: number
  headers: Readonly<Record<string, string>>
  text: string
  truncated: boolean
  json?: unknown
}> {
  const response = await http.request({
    ...more,
    path: requestAddress(wanted, connected),
    query: wanted.query ?? {},
    headers: { accept: '*/*', ...wanted.headers },
    accept: wanted.accept_statuses ?? [],
  })
  const { status, headers, text } = response
  const answer = {
    status,
    headers: withoutHopByHop(headers),
    text: text.slice(0, maxText),
    truncated: text.length > maxText,
  }
  const json =
    text.length <= maxJson && looksLikeJson(headers['content-type'], text) ? tryJson(response) : undefined
  return json === undefined ? answer : { ...answer, json }
}

/** @throws SkillError `bad_address` */
export function requestAddress(
  { url, path }: Pick<WantedRequest, 'url' | 'path'>,
  connected: boolean,
): RequestPath {
  if ((url === undefined) === (path === undefined)) {
    throw new SkillError('bad_address', 'give either url or path', {
      hint: 'url for a step without a connection, path for one with',
    })
  }
  if (url !== undefined && connected) {
    throw new SkillError('bad_address', 'url cannot be used with a connection', {
      hint: 'give a path, or remove the connection from the step',
    })
  }
  if (path !== undefined && !connected) {
    throw new SkillError('bad_address', 'path needs a connection', {
      hint: 'name one in the step, or give a url',
    })
  }
  return url ?? path ?? ''
}

/** These headers describe the transfer, not the response. */
const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'set-cookie'])

function withoutHopByHop(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)))
}

function looksLikeJson(type: string | undefined, text: string): boolean {
  return /^application\/([a-z0-9.+-]+\+)?json\b/i.test(type ?? '') || /^\s*[[{]/.test(text)
}

function tryJson(response: { json(): unknown }): unknown {
  try {
    return response.json()
  } catch {
    return undefined
  }
}
