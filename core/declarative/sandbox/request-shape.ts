import type { SandboxRequest } from '../../plugin/index.ts'

/** What identifies a request; parts that depend on the time are left out. */
export interface RequestShape {
  readonly method: string
  readonly pathname: string
  /** Sorted; null: a value that depends on the time. */
  readonly query: readonly (readonly [name: string, value: string | null])[]
  /** Undefined: it depends on the time. */
  readonly body: string | undefined
}

/** A request as a sandbox receives it. */
type Received = Pick<SandboxRequest, 'method' | 'path' | 'headers' | 'body'>

/**
 * The shape of a request that was made at two moments.
 *
 * @param credentials names in the query that hold credentials, which are no part of the shape
 */
export function requestShape(
  first: Received,
  second: Received,
  credentials: readonly string[],
): RequestShape {
  const query = queryOf(first, credentials)
  const later = queryOf(second, credentials)
  const body = plainBody(first)
  return {
    method: first.method,
    pathname: pathnameOf(first),
    query: query.map(([name, value], at) => [name, later[at]?.[1] === value ? value : null]),
    body: body === plainBody(second) ? body : undefined,
  }
}

/** Whether a received request has the shape. */
export function hasShape(call: Received, shape: RequestShape, credentials: readonly string[]): boolean {
  const query = queryOf(call, credentials)
  return (
    call.method === shape.method &&
    pathnameOf(call) === shape.pathname &&
    query.length === shape.query.length &&
    query.every(([name, value], at) => {
      const [wantedName, wanted] = shape.query[at]!
      return name === wantedName && (wanted === null || value === wanted)
    }) &&
    (shape.body === undefined || plainBody(call) === shape.body)
  )
}

/** Whether a request has these headers. */
export const hasHeaders = (
  { headers }: Pick<Received, 'headers'>,
  wanted: Readonly<Record<string, string>>,
): boolean => Object.entries(wanted).every(([name, value]) => headers[name.toLowerCase()] === value)

export const pathnameOf = ({ path }: Pick<Received, 'path'>): string => path.split('?', 1)[0] ?? ''

function queryOf({ path }: Received, credentials: readonly string[]): readonly (readonly [string, string])[] {
  const pairs = [...new URLSearchParams(path.split('?')[1] ?? '')]
  return pairs
    .filter(([name]) => !credentials.includes(name))
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

/** A body without what its encoding adds, such as the boundary of a form. */
function plainBody({ headers, body }: Received): string {
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)/i.exec(headers['content-type'] ?? '')?.[1]
  return boundary === undefined ? body : body.replaceAll(boundary, 'boundary')
}
