import { Secret, type ConnectionDefinition } from '../../plugin/index.ts'
import type { SandboxCall, SandboxReply } from '../../plugin/testing/index.ts'
import { checkSettings } from '../../skill/connection/settings.ts'
import type { DeclaredAuth } from '../language/declared-auth.ts'
import type { MadeUpSettings } from './made-up-settings.ts'
import { hasHeaders } from './request-shape.ts'
import { tokenEndpoints, type TokenEndpoints } from './token-endpoint.ts'

/** The credentials that a sandbox accepts. */
export interface AcceptedCredentials {
  /** Whether a request has them. */
  accepts(call: SandboxCall): boolean
  /** Undefined if the connection fetches no token. */
  readonly tokens: TokenEndpoints | undefined
}

type Headers = Readonly<Record<string, string>>

/**
 * Checks requests by making the credentials that the connection itself would send.
 *
 * @param typed the settings of the sandbox
 * @throws Error if the token endpoint is elsewhere
 */
export function acceptedCredentials(
  definition: ConnectionDefinition,
  auth: DeclaredAuth | undefined,
  typed: MadeUpSettings,
  url: string,
): AcceptedCredentials {
  const checked = checkSettings(definition, typed)
  const settings = { ...checked.settings, ...checked.secrets }
  const wanted = credentialHeaders(definition, settings)
  const tokens = tokenEndpoints(definition, auth, settings, url)
  return {
    accepts: (call) =>
      hasHeaders(call, wanted) &&
      tokens?.hasIssued(call) !== false &&
      isSigned(call, definition, settings, url),
    tokens,
  }
}

export const wrongCredentials: SandboxReply = {
  status: 401,
  json: { error: { message: 'the credentials are missing or wrong' } },
}

/** The headers that depend on the secrets. */
function credentialHeaders(
  { headers }: ConnectionDefinition,
  settings: Readonly<Record<string, unknown>>,
): Headers {
  if (headers === undefined) return {}
  const others = Object.entries(settings).map(([name, value]) => [
    name,
    value instanceof Secret ? new Secret(`other-${value.reveal()}`) : value,
  ])
  const moment = { nowMs: Date.now() }
  const made = headers(settings, moment)
  const other = headers(Object.fromEntries(others) as typeof settings, moment)
  return Object.fromEntries(Object.entries(made).filter(([name, value]) => other[name] !== value))
}

/** HTTP clients add these; no signature covers them. */
const framing = ['host', 'connection', 'content-length', 'user-agent', 'accept-encoding', 'transfer-encoding']

/** Whether the request has the signature that the connection makes for one of the times in the request. */
function isSigned(
  call: SandboxCall,
  { sign }: ConnectionDefinition,
  settings: Readonly<Record<string, unknown>>,
  url: string,
): boolean {
  if (sign === undefined) return true
  const headers = Object.fromEntries(Object.entries(call.headers).filter(([name]) => !framing.includes(name)))
  const { method, bytes: body } = call
  return timesIn(call).some((nowMs) => {
    const request = { method, url: url + call.path, headers, body, nowMs }
    // Parameters with a signature are not signed themselves.
    const added = Object.keys(sign(request, settings).query ?? {})
    const signed = sign({ ...request, url: withoutParameters(request.url, added) }, settings)
    const query = Object.entries(signed.query ?? {})
    return (
      hasHeaders(call, signed.headers ?? {}) && query.every(([name, value]) => call.query.get(name) === value)
    )
  })
}

function withoutParameters(url: string, names: readonly string[]): string {
  if (names.length === 0) return url
  const [path, query = ''] = url.split('?', 2)
  const kept = query.split('&').filter((pair) => !names.includes(decodeURIComponent(pair.split('=', 1)[0]!)))
  return kept.join('') === '' ? path! : `${path}?${kept.join('&')}`
}

/** The times in the headers and the query of a request, in epoch milliseconds, and now. */
function timesIn({ headers, query }: SandboxCall): readonly number[] {
  const times = [...Object.values(headers), ...query.values()].flatMap((text) => {
    const compact = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text)
    if (compact)
      return Date.UTC(...(compact.slice(1).map((part, at) => Number(part) - (at === 1 ? 1 : 0)) as [number]))
    if (/^\d{10}$/.test(text)) return Number(text) * 1000
    if (/^\d{13}$/.test(text)) return Number(text)
    return /^\d{4}-\d\d-\d\dT|GMT$/.test(text) ? Date.parse(text) : []
  })
  return [...times.filter((time) => !Number.isNaN(time)), Date.now()]
}
