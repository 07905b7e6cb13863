import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ConfigWarning } from '../config/config-warnings.ts'
import { isLoopback } from '../config/loopback.ts'

export type ExportTarget = FileTarget | HttpTarget | SyslogTarget

interface NamedTarget {
  /** Names its cursor and its log lines; has no credentials. */
  readonly name: string
}

export interface FileTarget extends NamedTarget {
  readonly kind: 'file'
  /** Absolute. */
  readonly path: string
}

export interface HttpTarget extends NamedTarget {
  readonly kind: 'http'
  readonly url: string
}

export interface SyslogTarget extends NamedTarget {
  readonly kind: 'syslog'
  readonly transport: 'udp' | 'tcp' | 'tls'
  /** An IPv6 address without brackets. */
  readonly host: string
  readonly port: number
}

/** UDP by RFC 5426, TCP by RFC 6587, TLS by RFC 5425. */
const usualPorts = { udp: 514, tcp: 601, tls: 6514 } as const

/**
 * Reads `file:<path>`, `https://…`, `syslog+tls://<host>[:<port>]`, `syslog+tcp://…` or `syslog+udp://…`.
 *
 * @throws Error whose message follows the quoted text, e.g. `has no host`
 */
function parseTarget(text: string): ExportTarget {
  if (/^file:/i.test(text)) return fileTarget(text)
  if (/^https?:/i.test(text)) return httpTarget(text)
  const scheme = /^syslog\+(udp|tcp|tls):\/\//i.exec(text)
  if (scheme === null)
    throw new Error('must begin with file:, https://, syslog+tls://, syslog+tcp:// or syslog+udp://')
  const rest = text.slice(scheme[0].length)
  const found = /^(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9._-]{0,252}))(?::(\d{1,5}))?\/?$/i.exec(rest)
  const transport = scheme[1]!.toLowerCase() as SyslogTarget['transport']
  const port = Number(found?.[3] ?? usualPorts[transport])
  if (found === null || port < 1 || port > 65_535)
    throw new Error('must be a scheme, a host and an optional port, e.g. syslog+tls://logs.example.com:6514')
  const host = found[1]!.toLowerCase()
  const name = `syslog+${transport}://${host}:${port}`
  return { kind: 'syslog', name, transport, host: host.replace(/^\[|\]$/g, ''), port }
}

function fileTarget(text: string): FileTarget {
  const given = text.slice('file:'.length)
  if (given === '' || given.includes('\0') || /[\\/]$/.test(given))
    throw new Error('must name a file, e.g. file:/var/log/tocsin/audit.jsonl')
  const path = given.startsWith('//') ? fileURLToPath(text) : resolve(given)
  return { kind: 'file', path, name: `file:${path}` }
}

function httpTarget(text: string): HttpTarget {
  const url = URL.parse(text)
  if (url === null) throw new Error('must be an address, e.g. https://logs.example.com/audit')
  if (url.username !== '' || url.password !== '')
    throw new Error('must not contain credentials; set them in TOCSIN_AUDIT_EXPORT_AUTHORIZATION')
  if (url.hash !== '') throw new Error('must not have a fragment')
  return { kind: 'http', url: url.href, name: `${url.origin}${url.pathname}` }
}

/** Two destinations with one name would share a cursor. */
export function parseTargets(texts: readonly string[]): readonly ExportTarget[] {
  const targets = texts.map((text) => {
    try {
      return parseTarget(text)
    } catch (error) {
      // An unreadable address may contain a password.
      const shown = text.includes('@') ? 'a destination' : `'${text.slice(0, 80)}'`
      throw new Error(`names ${shown}, which ${(error as Error).message}`, { cause: error })
    }
  })
  const twice = targets.find(({ name }, at) => targets.findIndex((other) => other.name === name) !== at)
  if (twice !== undefined) throw new Error(`names ${twice.name} twice; name it once`)
  if (targets.length > 4) throw new Error(`names ${targets.length} destinations; at most 4 are allowed`)
  return targets
}

/** Warns about destinations that receive entries in clear text, or cannot confirm them. */
export function exportWarnings(
  targets: readonly ExportTarget[],
  hasAuthorization: boolean,
): readonly ConfigWarning[] {
  const inTheClear = targets.filter((target) => {
    if (target.kind === 'file') return false
    if (target.kind === 'http')
      return target.url.startsWith('http:') && !isLoopback(new URL(target.url).hostname)
    return target.transport !== 'tls' && !isLoopback(target.host)
  })
  const unused = hasAuthorization && targets.every(({ kind }) => kind !== 'http')
  return [
    ...inTheClear.map(({ name }) => ({
      message: `TOCSIN_AUDIT_EXPORT: the audit log is sent to ${name} in clear text`,
      hint: 'use https:// or syslog+tls://',
    })),
    ...(unused
      ? [
          {
            message: 'TOCSIN_AUDIT_EXPORT_AUTHORIZATION is set, but no destination is an HTTP address',
            hint: 'add an HTTP destination to TOCSIN_AUDIT_EXPORT, or remove the variable',
          },
        ]
      : []),
  ]
}
