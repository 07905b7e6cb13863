import {
  ConnectionError,
  pathText,
  type ConnectionDefinition,
  type HttpRequest,
  type RequestPath,
} from '../plugin/index.ts'
import type { Connection } from '../domain/connection.ts'
import { absoluteAddress, addressBelow, parseBase } from './address.ts'
import type { TokenCall } from './fetch-token.ts'
import { headerProblem } from './headers.ts'
import type { Budget } from './send-in-turn.ts'

/** The other end of a connection. */
export interface Target {
  /** Name of the connection. */
  readonly connection: string
  readonly connectionUuid: string
  readonly base: URL
  /** Origins that may be named with an absolute address; they are sent no credentials. */
  readonly otherOrigins: readonly string[]
  /** Headers with credentials, names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly rate: ConnectionDefinition['rate']
  /** How to get the token that requests below the base address carry. */
  readonly token: TokenCall | undefined
  readonly hints: Readonly<Record<number, string>>
}

/** The time of each is remembered. */
const maxRequests = 10_000

/** @throws ConnectionError `connection_invalid`, SkillError `bad_path` for the address of the token */
export function createTarget(
  definition: ConnectionDefinition,
  { name: connection, uuid: connectionUuid }: Pick<Connection, 'name' | 'uuid'>,
  settings: Readonly<Record<string, unknown>>,
): Target {
  const base = parseBase(definition.baseUrl(settings))
  if (base === undefined) {
    throw new ConnectionError(
      'connection_invalid',
      `the base address of connection '${connection}' is not an http(s) address`,
      { hint: 'give an origin and a path, without credentials, query or fragment' },
    )
  }
  const headers = lowerCase(definition.headers?.(settings) ?? {})
  for (const [name, value] of Object.entries(headers)) {
    const problem = headerProblem(name, value)
    if (problem === undefined) continue
    throw new ConnectionError(
      'connection_invalid',
      `the credentials of connection '${connection}' cannot be sent: ${problem}`,
      {
        hint: 'enter them again, without line breaks, for a header that carries credentials and nothing else',
      },
    )
  }
  const otherOrigins = (definition.otherOrigins?.(settings) ?? []).map((text) => new URL(text).origin)
  const request = definition.token?.(settings)
  const token = request && {
    connection,
    connectionUuid,
    url: addressFrom({ base, otherOrigins }, request).url,
    form: request.form,
    explain: request.explain,
    hints: definition.errors ?? {},
  }
  return {
    connection,
    connectionUuid,
    base,
    otherOrigins,
    headers,
    rate: definition.rate,
    token,
    hints: definition.errors ?? {},
  }
}

/**
 * Where a request of a connection goes, and whether that is below the base address, where credentials are sent.
 *
 * @throws SkillError `bad_path`
 */
export function addressFrom(
  { base, otherOrigins }: Pick<Target, 'base' | 'otherOrigins'>,
  { path, query }: Pick<HttpRequest, 'path' | 'query'>,
): { readonly url: URL; readonly isBelowBase: boolean } {
  if (isAbsolute(path) && otherOrigins.length > 0) {
    const url = absoluteAddress(path, query)
    if (otherOrigins.includes(url.origin)) return { url, isBelowBase: false }
  }
  return { url: addressBelow(base, path, query), isBelowBase: true }
}

/** What a request counts against; where the plugin names nothing, the whole connection, without limits. */
export function budgetOf(
  { connection, connectionUuid, rate }: Target,
  { method = 'GET', path }: HttpRequest,
): Budget {
  const { bucket, limits } = rate?.({ method, path: pathOnly(path) }) ?? { bucket: '', limits: [] }
  for (const { requests, perMs } of limits) {
    const isUsable = Number.isInteger(requests) && requests >= 1 && requests <= maxRequests
    if (!isUsable || !(perMs > 0 && perMs < Infinity)) {
      throw new Error(
        `the rate ${requests} per ${perMs} ms is none: at least 1 request, at most ${maxRequests}`,
      )
    }
  }
  return { connection, connectionUuid, bucket: `requests ${bucket}`, limits }
}

const isAbsolute = (path: RequestPath): path is string => typeof path === 'string' && /^https?:/i.test(path)

const pathOnly = (path: RequestPath): string =>
  isAbsolute(path) ? (path.split('?', 1)[0] ?? '') : pathText(path)

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
