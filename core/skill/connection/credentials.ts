import { isDeepStrictEqual } from 'node:util'
import {
  ConnectionError,
  percentEncode,
  TocsinError,
  type ConnectionDefinition,
  type RequestToSign,
} from '../../plugin/index.ts'
import { headerProblem } from '../http/headers.ts'

/** A request with what `sign` of the connection adds to it. */
export interface SignedRequest {
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Added values that must not be shown. */
  readonly credentials: readonly string[]
}

/** Headers that authenticate a request. */
export interface CredentialHeaders {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Texts in them that must not be shown. */
  readonly credentials: readonly string[]
}

/**
 * The headers that `make` gives at a time. Most connections make the same ones for each request: those are checked, and searched
 * for secrets, once.
 */
export function createCredentials(
  connection: string,
  secrets: readonly string[],
  make: (nowMs: number) => Readonly<Record<string, string>>,
): (nowMs: number) => CredentialHeaders {
  let given: Readonly<Record<string, string>> | undefined
  let prepared: CredentialHeaders = { headers: {}, credentials: [] }
  return (nowMs) => {
    const now = called(connection, 'headers', () => make(nowMs))
    if (isDeepStrictEqual(now, given)) return prepared
    const headers = checkedHeaders(connection, now)
    prepared = { headers, credentials: credentialsIn(headers, secrets) }
    given = { ...now }
    return prepared
  }
}

/** @throws ConnectionError `connection_invalid` */
export type Signer = (request: RequestToSign) => SignedRequest

export function createSigner(
  connection: string,
  sign: NonNullable<ConnectionDefinition['sign']>,
  settings: Readonly<Record<string, unknown>>,
  secrets: readonly string[],
): Signer {
  return (request) => {
    const { headers = {}, query = {} } = called(connection, 'signature', () => sign(request, settings))
    const added = checkedHeaders(connection, headers)
    return {
      url: withQuery(request.url, query),
      headers: { ...request.headers, ...added },
      credentials: [...proofsIn(added, secrets), ...proofsIn(query, secrets)],
    }
  }
}

/** Replaces parameters of the same name, which a link to the next page may contain. */
function withQuery(address: string, query: Readonly<Record<string, string>>): string {
  const names = new Set(Object.keys(query))
  if (names.size === 0) return address
  const url = new URL(address)
  const kept = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !names.has([...new URLSearchParams(pair).keys()][0] ?? ''))
  const added = Object.entries(query).map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`)
  url.search = [...kept, ...added].join('&')
  return url.href
}

/** Names of values in a signature that prove who sent a request. */
const proofs = /auth|hmac|sign|token/i
/** Shorter parts of a signature are names and dates. */
const shortestProof = 16

/** The values that must not be shown: `authorization`, and values made from a secret, such as `Basic` with a password. */
export function credentialsIn(
  named: Readonly<Record<string, string>>,
  secrets: readonly string[],
): readonly string[] {
  return Object.entries(named).flatMap(([name, value]) => {
    const credential = value.replace(/^[\w-]+\s+/, '')
    const decoded = Buffer.from(credential, 'base64').toString()
    const isSecret = secrets.some(
      (secret) => secret !== '' && (value.includes(secret) || decoded.includes(secret)),
    )
    return isSecret || name === 'authorization' ? [credential] : []
  })
}

/** The same for what `sign` adds: also signatures, and their parts such as `Signature=…`. */
function proofsIn(named: Readonly<Record<string, string>>, secrets: readonly string[]): readonly string[] {
  const parts = Object.entries(named).flatMap(([name, value]) =>
    proofs.test(name) ? [value, ...value.split(/[\s,]*\w+=/)] : [],
  )
  return [...credentialsIn(named, secrets), ...parts.filter(({ length }) => length >= shortestProof)]
}

/**
 * Headers of a plugin, names in lower case.
 *
 * @throws ConnectionError `connection_invalid`
 */
export function checkedHeaders(
  connection: string,
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const headers = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value] as const)
  for (const [name, value] of headers) {
    const problem = headerProblem(name, value)
    if (problem === undefined) continue
    throw new ConnectionError(
      'connection_invalid',
      `the credentials of connection '${connection}' cannot be sent: ${problem}`,
      { hint: 'enter them again without line breaks' },
    )
  }
  return Object.fromEntries(headers)
}

/**
 * Calls code of the plugin, which may throw anything, e.g. for a malformed key.
 *
 * @throws ConnectionError `connection_invalid`
 */
export function called<T>(connection: string, what: string, make: () => T): T {
  try {
    return make()
  } catch (cause) {
    if (cause instanceof TocsinError) throw cause
    const why = cause instanceof Error ? cause.message : 'for an unknown reason'
    throw new ConnectionError(
      'connection_invalid',
      `the ${what} of connection '${connection}' cannot be made: ${why.slice(0, 300)}`,
      { hint: 'check the settings of the connection, e.g. the format of a key', cause },
    )
  }
}
