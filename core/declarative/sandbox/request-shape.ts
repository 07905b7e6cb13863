import { parseJson } from '../../common/json.ts'
import type { SandboxRequest } from '../../plugin/index.ts'

/** What identifies a request; parts that depend on the time or the call are left out. */
export interface RequestShape {
  readonly method: string
  /** With {@link changingSegment} for segments that depend on the time or the call. */
  readonly pathname: string
  /** Sorted; null: a value that depends on the time. */
  readonly query: readonly (readonly [name: string, value: string | null])[]
  /** As JSON, with {@link changing} for parts that depend on the time. */
  readonly body: unknown
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
  return {
    method: first.method,
    pathname: lastingPathname(pathnameOf(first), pathnameOf(second)),
    query: query.map(([name, value], at) => [name, later[at]?.[1] === value ? value : null]),
    body: lasting(plainBody(first), plainBody(second)),
  }
}

/** Whether a received request has the shape. */
export function hasShape(call: Received, shape: RequestShape, credentials: readonly string[]): boolean {
  const query = queryOf(call, credentials)
  return (
    call.method === shape.method &&
    hasPathname(call, shape) &&
    query.length === shape.query.length &&
    query.every(([name, value], at) => {
      const [wantedName, wanted] = shape.query[at]!
      return name === wantedName && (wanted === null || value === wanted)
    }) &&
    fits(plainBody(call), shape.body)
  )
}

/** Whether a request has these headers. */
export const hasHeaders = (
  { headers }: Pick<Received, 'headers'>,
  wanted: Readonly<Record<string, string>>,
): boolean => Object.entries(wanted).every(([name, value]) => headers[name.toLowerCase()] === value)

const pathnameOf = ({ path }: Pick<Received, 'path'>): string => path.split('?', 1)[0] ?? ''

/** Requests percent-encode braces. */
const changingSegment = '{}'

function lastingPathname(first: string, second: string): string {
  const others = second.split('/')
  const segments = first.split('/')
  if (segments.length !== others.length) return first
  return segments.map((segment, at) => (segment === others[at] ? segment : changingSegment)).join('/')
}

/** Whether a received request has the path of a shape. */
export function hasPathname(
  call: Pick<Received, 'path'>,
  { pathname }: Pick<RequestShape, 'pathname'>,
): boolean {
  const segments = pathnameOf(call).split('/')
  const wanted = pathname.split('/')
  return (
    segments.length === wanted.length &&
    wanted.every((segment, at) => segment === changingSegment || segment === segments[at])
  )
}

function queryOf({ path }: Received, credentials: readonly string[]): readonly (readonly [string, string])[] {
  const pairs = [...new URLSearchParams(path.split('?')[1] ?? '')]
  return pairs
    .filter(([name]) => !credentials.includes(name))
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

/** Placeholder for a part of a body that depends on the time. */
const changing = Symbol('changing')

type Parts = Readonly<Record<string, unknown>>

/** The parts that two values share. */
function lasting(first: unknown, second: unknown): unknown {
  if (first === second) return first
  if (!isParts(first) || !isParts(second)) return changing
  const [names, others] = [Object.keys(first), Object.keys(second)]
  if (Array.isArray(first) !== Array.isArray(second) || names.join('\n') !== others.join('\n'))
    return changing
  return Object.fromEntries(names.map((name) => [name, lasting(first[name], second[name])]))
}

function fits(value: unknown, shape: unknown): boolean {
  if (shape === changing || value === shape) return true
  if (!isParts(value) || !isParts(shape)) return false
  const names = Object.keys(shape)
  return (
    names.length === Object.keys(value).length &&
    names.every((name) => Object.hasOwn(value, name) && fits(value[name], shape[name]))
  )
}

const isParts = (value: unknown): value is Parts => typeof value === 'object' && value !== null

/** A body without what its encoding adds, such as the boundary of a form. */
function plainBody({ headers, body }: Received): unknown {
  const type = headers['content-type'] ?? ''
  if (/^application\/x-www-form-urlencoded/i.test(type)) return [...new URLSearchParams(body)]
  const json = /^application\/(?:.+\+)?json/i.test(type) ? parsed(body) : undefined
  if (json !== undefined) return json
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)/i.exec(type)?.[1]
  return boundary === undefined ? body : body.replaceAll(boundary, 'boundary')
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
