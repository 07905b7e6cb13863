import * as fc from 'fast-check'
import { header, methods, oddHeaders, tricks } from './fuzz-heads.ts'
import { brokenBodies, json, oddSegments, text, valueFor } from './fuzz-values.ts'
import type { OpenApiDocument, Operation } from '../../../server/http/reference/openapi-document.ts'

/** A possibly malformed request, as raw bytes. */
export interface FuzzedRequest {
  readonly operationId: string
  readonly bytes: Uint8Array
  /** It announces more bytes than it sends: the server may or may not answer. */
  readonly isCut: boolean
}

const bodies = (operation: Operation): fc.Arbitrary<Uint8Array | undefined> => {
  const schema = operation.requestBody?.content['application/json']?.schema
  const own =
    schema === undefined ? fc.constant(undefined) : valueFor(schema).map((value) => Buffer.from(json(value)))
  const broken = fc.oneof(fc.constantFrom(...brokenBodies), fc.uint8Array({ maxLength: 60 }))
  return fc.oneof({ weight: 4, arbitrary: own }, { weight: 1, arbitrary: broken })
}

interface Known {
  readonly cookie: string
  /** Ids of existing objects, by the name of the parameter. */
  readonly ids: Readonly<Record<string, string>>
  /** A valid body. */
  readonly fitting?: unknown
}

/** The parts of a request that may be malformed. */
const parts = ['method', 'target', 'trick', 'query', 'odd', 'hasHost', 'hasKey', 'body', 'cut'] as const

/**
 * Requests for one operation, malformed in any way or not at all: half of them in at most one part, so that
 * other checks are reached.
 */
export function fuzzedRequests(
  method: string,
  path: string,
  operation: Operation,
  { cookie, ids, fitting }: Known,
): fc.Arbitrary<FuzzedRequest> {
  const segment = (name: string) =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(encodeURIComponent(ids[name] ?? 'x')) },
      { weight: 2, arbitrary: fc.constantFrom(...oddSegments) },
      { weight: 1, arbitrary: text.map((value) => encodeURIComponent(value.toWellFormed())) },
    )
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const target = fc.tuple(...names.map(segment)).map((values) => {
    let at = 0
    return path.replaceAll(/\{\w+\}/g, () => values[at++] ?? '')
  })
  const readsIfMatch = operation.parameters.some(({ name }) => name === 'if-match')
  const known = operation.parameters.filter((one) => one.in === 'query')
  const parameter = fc.oneof(
    ...(known.length === 0
      ? []
      : [
          {
            weight: 4,
            arbitrary: fc
              .constantFrom(...known)
              .chain(({ name, schema }) =>
                valueFor(schema).map(
                  (value) => [name, typeof value === 'string' ? value : json(value)] as const,
                ),
              ),
          },
        ]),
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom('unknown', '__proto__', 'limit[]', '', 'LIMIT'), text) },
  )
  const query = fc.array(parameter, { maxLength: 3 }).map((pairs) => {
    const search = pairs
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`)
      .join('&')
    return search === '' ? '' : `?${search}`
  })
  const right = {
    method: method.toUpperCase(),
    target: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? 'x')),
    trick: (given: string) => given,
    query: '',
    odd: [],
    hasHost: true,
    hasKey: true,
    body: fitting === undefined ? undefined : Buffer.from(json(fitting)),
    cut: false,
  }
  return fc
    .record({
      only: fc.option(fc.constantFrom(...parts)),
      method: fc.oneof(
        { weight: 9, arbitrary: fc.constant(method.toUpperCase()) },
        { weight: 1, arbitrary: fc.constantFrom(...methods) },
      ),
      target,
      trick: fc.oneof(
        { weight: 9, arbitrary: fc.constant((given: string) => given) },
        { weight: 1, arbitrary: fc.constantFrom(...tricks) },
      ),
      query: fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 1, arbitrary: query }),
      odd: fc.oneof(
        { weight: 3, arbitrary: fc.constant<(readonly [string, string])[]>([]) },
        { weight: 2, arbitrary: fc.array(fc.constantFrom(...oddHeaders), { maxLength: 3 }) },
      ),
      hasHost: fc.integer({ min: 0, max: 30 }).map((n) => n > 0),
      hasKey: fc.integer({ min: 0, max: 15 }).map((n) => n > 0),
      body: bodies(operation),
      cut: fc.integer({ min: 0, max: 20 }).map((n) => n === 0),
    })
    .map(({ only, ...wrong }) => (only === null ? wrong : { ...right, [only]: wrong[only] }))
    .map(({ method: verb, target: at, trick, query: search, odd, hasHost, hasKey, body, cut }) => {
      const missing = cut && body !== undefined ? 10 : 0
      const lines = [
        `${verb} ${trick(at) + search} HTTP/1.1`,
        ...(hasHost ? ['Host: tocsin.example'] : []),
        ...(hasKey ? [`Cookie: ${cookie}`] : []),
        ...(readsIfMatch ? ['If-Match: *'] : []),
        ...(body === undefined
          ? []
          : ['Content-Type: application/json', `Content-Length: ${body.length + missing}`]),
        ...odd.map(([name, value]) => `${name}: ${header(value)}`),
        'Connection: close',
      ]
      const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
      const saysMore = odd.some(([name]) =>
        /^(content-length|transfer-encoding|expect|connection)$/i.test(name),
      )
      return {
        operationId: operation.operationId,
        bytes: Buffer.concat([head, body ?? Buffer.alloc(0)]),
        isCut: missing > 0 || saysMore,
      }
    })
}

/** Every operation of a description. */
export function operationsOf({
  paths,
}: OpenApiDocument): readonly (readonly [method: string, path: string, operation: Operation])[] {
  return Object.entries(paths).flatMap(([path, all]) =>
    Object.entries(all).map(([method, operation]) => [method, path, operation] as const),
  )
}
