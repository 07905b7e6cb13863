import { codePattern } from '../../core/domain/ids.ts'
import { serverRules } from '../../core/destructive/approval-rules.ts'
import {
  maxApprovals,
  maxDestructivePerHour,
  type ApprovalRule,
  type OwnDestructiveLimits,
} from '../../core/domain/destructive-use.ts'
import { destructiveClasses, type DestructiveClass } from '../../core/plugin/index.ts'
import { viewPaths } from '../http/page/view-paths.ts'
import { parseTrustedProxies } from '../http/server/trusted-proxies.ts'
import { parseTargets, type ExportTarget } from '../audit-export/settings.ts'
import { parseAllowList } from '../egress/allow-list.ts'
import type { PrivateEgress } from '../egress/allow-lists.ts'
import { readKey, bootstrapKeyHint } from '../access/keys.ts'
import { isOperatorReference } from './operator-reference.ts'

/** A value that cannot be used. The message follows the name of the variable and ends with the fix. */
export class Unusable extends Error {}

export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export function integerBetween(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN
    if (value >= least && value <= most) return value
    throw new Unusable(`is ${quote(text)}; it must be a whole number between ${least} and ${most}`)
  }
}

/** A number of days from 1 to 3650, or `never`. */
export function daysOrNever(text: string): number | 'never' {
  if (text.toLowerCase() === 'never') return 'never'
  try {
    return integerBetween(1, 3_650)(text)
  } catch {
    throw new Unusable(`is ${quote(text)}; it must be a whole number of days between 1 and 3650, or never`)
  }
}

type PerClass = Readonly<Partial<Record<DestructiveClass, number>>>

/** One number for all classes, or a number for some of them: `containment=5,blocking=50`. */
export const destructiveLimits = (text: string): OwnDestructiveLimits =>
  perClass(text, integerBetween(0, maxDestructivePerHour))

/** Numbers of approvals, like the limits: `1`, or `containment=2,blocking=1`. */
export const approvals = (text: string): readonly ApprovalRule[] =>
  serverRules(perClass(text, integerBetween(0, maxApprovals)))

function perClass(text: string, read: (text: string) => number): PerClass {
  if (/^\d+$/.test(text)) {
    const limit = read(text)
    return Object.fromEntries(destructiveClasses.map((one) => [one, limit]))
  }
  const limits: Partial<Record<DestructiveClass, number>> = {}
  for (const part of text.split(',')) {
    const [name = '', count, ...more] = part.split('=').map((each) => each.trim())
    const known = destructiveClasses.find((one) => one === name)
    if (known === undefined || count === undefined || more.length > 0 || limits[known] !== undefined) {
      const why = limits[known ?? 'containment'] !== undefined && known !== undefined ? 'twice ' : ''
      throw new Unusable(
        `names ${why}${quote(part.trim())}; it must be a whole number, or a number for each of ${destructiveClasses.join(', ')} that differs, e.g. containment=5,blocking=50`,
      )
    }
    limits[known] = numberFor(known, count, read)
  }
  return limits
}

function numberFor(name: string, count: string, read: (text: string) => number): number {
  try {
    return read(count)
  } catch (error) {
    throw error instanceof Unusable ? new Unusable(`${error.message} for ${name}`) : error
  }
}

export function host(text: string): string {
  const bare = text.replace(/^\[(.*)\]$/, '$1')
  if (/^[A-Za-z0-9._-]{1,253}$/.test(bare) || /^(?=.*:.*:)[0-9A-Fa-f:.]{2,45}(%[\w.-]+)?$/.test(bare))
    return bare
  throw new Unusable(
    `is ${quote(text)}; it must be an address or a name without scheme and port, e.g. 127.0.0.1, or 0.0.0.0 for all interfaces`,
  )
}

export function path(text: string): string {
  if (!text.includes('\0')) return text
  throw new Unusable('contains a NUL character; it must be a path')
}

/** Paths outside the API, such as those of the web page. */
const taken = ['healthz', 'readyz', 'metrics', 'assets', ...viewPaths]

export function prefix(text: string): string {
  const usable = /^[a-z0-9][a-z0-9_-]*(\/[a-z0-9][a-z0-9_-]*){0,5}$/.test(text) && text.length <= 100
  if (usable && !taken.includes(text.split('/')[0] ?? '')) return text
  throw new Unusable(
    `is ${quote(text)}; it must be lower-case letters, digits, '-' and '_', in parts separated by '/', without '/' at either end, ` +
      `and must not begin with ${taken.join(', ')}; e.g. api`,
  )
}

export function publicUrl(text: string): string {
  const url = URL.parse(text)
  const bare =
    url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (bare && /^https?:$/.test(url.protocol) && url.pathname === '/') return url.origin
  throw new Unusable(
    `is ${shownUrl(url, text)}; it must be an http or https address without path, query or credentials, e.g. https://tocsin.example.com`,
  )
}

/** Without parts that may hold a password or a token. */
function shownUrl(url: URL | null, text: string): string {
  if (url === null) return text.includes('@') ? 'not an address' : quote(text)
  return quote(`${url.protocol}//${url.host}${url.pathname}`)
}

/** The key, or a reference to it; see `operator-references.ts`. */
/** A PostgreSQL address, or a reference to one. It may contain a password: messages do not repeat it. */
export function store(text: string): string {
  if (/^postgres(ql)?:\/\/./.test(text) || isOperatorReference(text)) return text
  throw new Unusable(
    'is not the address of a PostgreSQL database, such as postgres://user:password@host:5432/tocsin; leave it unset to use SQLite',
  )
}

export function masterKey(text: string): string {
  if (isOperatorReference(text)) return text
  const bytes = Buffer.from(text, 'base64')
  if (!/^[A-Za-z0-9+/]{43}=$/.test(text)) {
    throw new Unusable('is not 32 bytes in base64; create one with: openssl rand -base64 32')
  }
  // 32 random bytes never have so few different values.
  if (new Set(bytes).size < 12) throw new Unusable('is not random; create one with: openssl rand -base64 32')
  return text
}

export function apiKey(text: string): string {
  if (readKey(text) === undefined)
    throw new Unusable(`does not have the form toc_<id>_<secret>; ${bootstrapKeyHint}`)
  const secretPart = text.slice(text.lastIndexOf('_', text.length - 43))
  if (new Set(secretPart).size < 12) throw new Unusable(`is not random; ${bootstrapKeyHint}`)
  return text
}

/** One of these words, in any letter case. */
export function oneOf<Word extends string>(words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const word = words.find((known) => known === text.toLowerCase())
    if (word !== undefined) return word
    throw new Unusable(`is ${quote(text)}; it must be one of ${words.join(', ')}`)
  }
}

/** A package name as npm allows it. */
const packageName = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/

/** A module path, by the same rule as discovery. */
const modulePath = /^\.{0,2}\/[^\0]{1,4096}$/

export function pluginSources(text: string): readonly string[] {
  return items(text).map((source) => {
    if (modulePath.test(source) || (source.length <= 214 && packageName.test(source))) return source
    throw new Unusable(
      `names ${quote(source)}; use package names, or module paths that begin with ./, ../ or /, separated by ','`,
    )
  })
}

const hostPattern = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/

/** One list for all organizations, or one for each: `acme=10.0.0.5,fd00::/8; *=127.0.0.1`. */
export const privateEgress = (text: string): PrivateEgress =>
  perOrganization(text, hostsAndRanges, '10.0.0.5')

/** @param read reads one list; @param example an entry, for the message */
export function perOrganization(
  text: string,
  read: (list: string) => readonly string[],
  example: string,
): PrivateEgress {
  const organizations = new Map<string, readonly string[]>()
  let everyone: readonly string[] | undefined
  for (const part of text.split(';').map((one) => one.trim())) {
    if (part === '') continue
    const [code, list] = part.includes('=') ? splitOnce(part) : ['*', part]
    const entries = read(list)
    if (code === '*') {
      if (everyone !== undefined) throw new Unusable(`must have one list for all organizations; found two`)
      everyone = entries
      continue
    }
    if (!new RegExp(codePattern).test(code)) {
      throw new Unusable(
        `has ${quote(`${code}=`)}; before '=' use the code of an organization, or * for all others, e.g. acme=${example}; *=${example}`,
      )
    }
    const key = code.toLowerCase()
    if (organizations.has(key)) throw new Unusable(`must have one list for ${quote(code)}; found two`)
    organizations.set(key, entries)
  }
  return { everyone: everyone ?? [], organizations }
}

function splitOnce(part: string): readonly [string, string] {
  const at = part.indexOf('=')
  return [part.slice(0, at).trim(), part.slice(at + 1).trim()]
}

function hostsAndRanges(text: string): readonly string[] {
  return items(text).map((item) => {
    const lower = item.toLowerCase()
    if (lower.includes('/') ? isRange(lower) : isHost(lower)) return lower
    throw new Unusable(
      `has ${quote(item)}; use hosts and address ranges separated by ',': a name or an address, with or without :port, ` +
        `or a range, e.g. 127.0.0.1:9000,[::1],siem.internal,10.1.0.0/16`,
    )
  })
}

function isHost(text: string): boolean {
  const port = Number(/\]?:(\d+)$/.exec(text)?.[1] ?? '1')
  return hostPattern.test(text) && port >= 1 && port <= 65_535
}

/** As egress reads it. A range of all addresses would disable the guard. */
function isRange(text: string): boolean {
  if (Number(text.split('/')[1]) === 0) return false
  try {
    parseAllowList([text])
    return true
  } catch {
    return false
  }
}

export function proxies(text: string): readonly string[] {
  return items(text).map((item) => {
    try {
      parseTrustedProxies([item])
      return item
    } catch {
      throw new Unusable(
        `has ${quote(item)}; use addresses and address ranges separated by ',', e.g. 127.0.0.1,10.1.0.0/16`,
      )
    }
  })
}

export function exportTargets(text: string): readonly ExportTarget[] {
  try {
    return parseTargets(items(text))
  } catch (error) {
    throw new Unusable((error as Error).message)
  }
}

/** An HTTP header value. */
export function headerValue(text: string): string {
  if (/^[\x20-\x7e]{8,8000}$/.test(text)) return text
  throw new Unusable('must be 8 to 8000 visible ASCII characters, e.g. Bearer <token>')
}

export const items = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
]

const quote = (text: string): string => `'${text.length > 80 ? `${text.slice(0, 80)}…` : text}'`
