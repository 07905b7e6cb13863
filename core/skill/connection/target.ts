import { createHash } from 'node:crypto'
import {
  ConnectionError,
  pathText,
  Secret,
  SkillError,
  type ConnectionDefinition,
  type HttpRequest,
  type RateBudget,
  type RatedRequest,
  type RequestPath,
  type SocketAddress,
} from '../../plugin/index.ts'
import type { Connection } from '../../domain/connection.ts'
import { absoluteAddress, addressBelow, parseBase } from './address.ts'
import {
  called,
  checkedHeaders,
  createCredentials,
  createSigner,
  credentialsIn,
  type CredentialHeaders,
  type Signer,
} from './credentials.ts'
import type { TokenCall } from '../http/fetch-token.ts'
import type { ConnectionBudget } from '../http/send-in-turn.ts'
import type { NetworkSettings } from '../../ports/egress.ts'
import { createSignInTarget, type SignInTarget } from '../sign-in/sign-in-target.ts'

/** The address, credentials and limits of a connection. */
export interface ConnectionTarget {
  /** Name of the connection. */
  readonly connection: string
  readonly connectionUuid: string
  readonly base: URL
  /** Origins allowed in absolute addresses; they receive no credentials. */
  readonly otherOrigins: readonly string[]
  /** By name. */
  readonly sockets: ReadonlyMap<string, SocketAddress>
  /**
   * Headers with credentials at a time in epoch milliseconds.
   *
   * @throws ConnectionError `connection_invalid`
   */
  readonly credentialsAt: (nowMs: number) => CredentialHeaders
  /** Undefined: only `credentialsAt` authenticates requests. */
  readonly sign: Signer | undefined
  /** Secrets to redact from messages. */
  readonly secrets: readonly string[]
  readonly rate: ((request: RatedRequest) => RateBudget | undefined) | undefined
  /** Fetches the token of requests below the base address. */
  readonly token: TokenCall | undefined
  /** Undefined: the plugin has no sign-in. */
  readonly signIn: SignInTarget | undefined
  readonly errors: ConnectionDefinition['errors']
  /** Name of the host; empty: the connection itself. */
  readonly host: string
  /** Of a host: whether its requests have the token of the connection. */
  readonly sharesToken: boolean
  readonly hosts: ReadonlyMap<string, ConnectionTarget>
}

/** Largest number of requests in a rate limit: the time of each is remembered. */
const maxRequests = 10_000

/** @throws ConnectionError `connection_invalid` if the base address is invalid */
export function createTarget(
  definition: ConnectionDefinition,
  { name: connection, uuid: connectionUuid }: Pick<Connection, 'name' | 'uuid'>,
  settings: Readonly<Record<string, unknown>>,
  network?: NetworkSettings,
  host = '',
): ConnectionTarget {
  const base = parseBase(definition.baseUrl(settings))
  if (base === undefined) {
    throw new ConnectionError(
      'connection_invalid',
      `the ${host === '' ? 'base address' : `address of '${host}'`} of connection '${connection}' is not an http(s) address`,
      { hint: 'give an origin and a path, without credentials, query or fragment' },
    )
  }
  const otherOrigins = (definition.otherOrigins?.(settings) ?? []).map((text) => new URL(text).origin)
  const { token, signIn, headers, sign, rate, errors } = definition
  const secrets = Object.values(settings).flatMap((value) =>
    value instanceof Secret ? [value.reveal()] : [],
  )
  const call: TokenCall | undefined = token && {
    connection,
    key: host + keyOf(connectionUuid, settings),
    connectionUuid,
    errors,
    requestAt(nowMs) {
      const request = called(connection, 'token request', () => token(settings, { nowMs }))
      const headers = checkedHeaders(connection, request.headers ?? {})
      const { url } = addressFrom({ base, otherOrigins }, request)
      return { ...request, headers, credentials: credentialsIn(headers, secrets), url }
    },
  }
  return {
    connection,
    connectionUuid,
    base,
    otherOrigins,
    sockets: new Map(Object.entries(definition.sockets?.(settings) ?? {})),
    credentialsAt: createCredentials(connection, secrets, (nowMs) => headers?.(settings, { nowMs }) ?? {}),
    sign: sign && createSigner(connection, sign, settings, secrets),
    secrets,
    rate: rate && ((request) => rate(request, settings)),
    token: call,
    signIn:
      signIn &&
      createSignInTarget(() => signIn(settings), {
        connection,
        base,
        otherOrigins,
        secrets,
        addressOf: (path) => addressFrom({ base, otherOrigins }, { path }).url,
        way: network && [network.proxy && new URL(network.proxy).host, network.ca],
      }),
    errors,
    host,
    sharesToken: 'sharesToken' in definition && definition.sharesToken === true,
    hosts: new Map(
      Object.keys(definition.hosts ?? {}).map((name) => {
        const own = ofHost(definition, name)
        return [name, createTarget(own, { name: connection, uuid: connectionUuid }, settings, network, name)]
      }),
    ),
  }
}

/** The definition of one of the hosts of a connection. */
export function ofHost(definition: ConnectionDefinition, name: string): ConnectionDefinition {
  const { headers: _, sign: __, token: ___, signIn: ____, hosts, ...common } = definition
  return { ...common, ...hosts?.[name] }
}

/** @throws SkillError `bad_path` if there is no such host */
export function targetOfHost(
  target: ConnectionTarget | undefined,
  host: string | undefined,
): ConnectionTarget | undefined {
  if (host === undefined) return target
  const found = target?.hosts.get(host)
  if (found === undefined) throw new SkillError('bad_path', `the connection has no host '${host}'`)
  return found
}

/** A digest of the settings: tokens are cached under it, so an edited connection gets a new token. */
function keyOf(connectionUuid: string, settings: Readonly<Record<string, unknown>>): string {
  const plain = Object.entries(settings).map(([name, value]) => [
    name,
    value instanceof Secret ? value.reveal() : value,
  ])
  return createHash('sha256')
    .update(JSON.stringify([connectionUuid, plain]))
    .digest('base64')
}

/**
 * The address of a request, and whether it is below the base address and gets credentials.
 *
 * @throws SkillError `bad_path`
 */
export function addressFrom(
  { base, otherOrigins }: Pick<ConnectionTarget, 'base' | 'otherOrigins'>,
  { path, query }: Pick<HttpRequest, 'path' | 'query'>,
): { readonly url: URL; readonly isBelowBase: boolean } {
  const below = belowBase(base, path)
  if (below !== undefined) {
    const url = addressBelow(base, below.path, query)
    url.search = [below.query, url.search.slice(1)].filter((part) => part !== '').join('&')
    return { url, isBelowBase: true }
  }
  if (isAbsolute(path) && otherOrigins.length > 0) {
    const url = absoluteAddress(path, query)
    if (otherOrigins.includes(url.origin)) return { url, isBelowBase: false }
  }
  return { url: addressBelow(base, path, query), isBelowBase: true }
}

/**
 * The path of an absolute address below the base, such as a link to the next page; validated like any other.
 */
function belowBase(
  base: URL,
  path: RequestPath,
): { readonly path: string; readonly query: string } | undefined {
  if (!isAbsolute(path)) return undefined
  const [, origin, rest, query = ''] = /^(https?:\/\/[^/?#\\@\s]+)(\/[^?#]*)(?:\?([^#]*))?$/i.exec(path) ?? []
  if (origin === undefined || rest === undefined || !URL.canParse(origin)) return undefined
  const basePath = base.pathname.replace(/\/+$/, '')
  if (new URL(origin).origin !== base.origin || !rest.startsWith(`${basePath}/`)) return undefined
  return { path: rest.slice(basePath.length), query }
}

/** The rate budget of a request. Default: one budget for the whole connection, without limits. */
export function budgetOf(
  { connection, connectionUuid, rate, base, host }: ConnectionTarget,
  { method = 'GET', path }: Pick<HttpRequest, 'path'> & { readonly method?: string },
): ConnectionBudget {
  const { bucket, limits } = rate?.({ method, path: belowBase(base, path)?.path ?? pathOnly(path) }) ?? {
    bucket: '',
    limits: [],
  }
  for (const { requests, perMs } of limits) {
    const isUsable = Number.isInteger(requests) && requests >= 1 && requests <= maxRequests
    if (!isUsable || !(perMs > 0 && perMs < Infinity)) {
      throw new Error(
        `the rate ${requests} per ${perMs} ms is invalid: allow at least 1 request, at most ${maxRequests}`,
      )
    }
  }
  return {
    connection,
    connectionUuid,
    bucket: `requests ${bucket}${host === '' ? '' : ` at ${host}`}`,
    limits,
  }
}

const isAbsolute = (path: RequestPath): path is string => typeof path === 'string' && /^https?:/i.test(path)

const pathOnly = (path: RequestPath): string =>
  isAbsolute(path) ? (path.split('?', 1)[0] ?? '') : pathText(path)
