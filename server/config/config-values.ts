import { codePattern } from '../../core/domain/ids.ts'
import { maxDestructivePerHour, type OwnDestructiveLimits } from '../../core/domain/destructive-use.ts'
import { destructiveClasses, type DestructiveClass } from '../../core/plugin/index.ts'
import { viewPaths } from '../http/page/view-paths.ts'
import { parseTrustedProxies } from '../http/server/trusted-proxies.ts'
import { parseTargets, type ExportTarget } from '../audit-export/settings.ts'
import { parseAllowList } from '../egress/allow-list.ts'
import type { PrivateEgress } from '../egress/allow-lists.ts'
import { readKey, bootstrapKeyHint } from '../access/keys.ts'

/** A value of the environment that cannot be used. The message follows the variable's name and ends with the remedy. */
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

const perHour = integerBetween(0, maxDestructivePerHour)

/** One number for all classes, or a number for some of them: `containment=5,blocking=50`. */
export function destructiveLimits(text: string): OwnDestructiveLimits {
  if (/^\d+$/.test(text)) {
    const limit = perHour(text)
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
    limits[known] = limitFor(known, count)
  }
  return limits
}

function limitFor(name: string, count: string): number {
  try {
    return perHour(count)
  } catch (error) {
    throw error instanceof Unusable ? new Unusable(`${error.message} for ${name}`) : error
  }
}

/** An address or name to listen on. */
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
  throw new Unusable('holds a NUL character; it must be a path')
}

/** Paths beside the API's, those of the page among them. */
const taken = ['healthz', 'readyz', 'metrics', 'assets', ...viewPaths]

export function prefix(text: string): string {
  const usable = /^[a-z0-9][a-z0-9_-]*(\/[a-z0-9][a-z0-9_-]*){0,5}$/.test(text) && text.length <= 100
  if (usable && !taken.includes(text.split('/')[0] ?? '')) return text
  throw new Unusable(
    `is ${quote(text)}; it must be lower-case letters, digits, '-' and '_', in parts with '/' between them and none at the ends, ` +
      `and not begin with ${taken.join(', ')}; e.g. api`,
  )
}

export function publicUrl(text: string): string {
  const url = URL.parse(text)
  const bare =
    url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (bare && /^https?:$/.test(url.protocol) && url.pathname === '/') return url.origin
  throw new Unusable(
    `is ${shownUrl(url, text)}; it must be an http or https address without path, query and credentials, e.g. https://tocsin.example.com`,
  )
}

/** Without what could be a password or a token. */
function shownUrl(url: URL | null, text: string): string {
  if (url === null) return text.includes('@') ? 'no address' : quote(text)
  return quote(`${url.protocol}//${url.host}${url.pathname}`)
}

export function masterKey(text: string): string {
  const bytes = Buffer.from(text, 'base64')
  if (!/^[A-Za-z0-9+/]{43}=$/.test(text)) {
    throw new Unusable('is not 32 bytes in base64; make one with: openssl rand -base64 32')
  }
  // 32 random bytes with so few different values do not happen.
  if (new Set(bytes).size < 12) throw new Unusable('is not random; make one with: openssl rand -base64 32')
  return text
}

export function apiKey(text: string): string {
  if (readKey(text) === undefined)
    throw new Unusable(`is not of the form toc_<id>_<secret>; ${bootstrapKeyHint}`)
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

/** As npm allows them. */
const packageName = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/

/** Of a module, as discovery tells paths from names of packages. */
const modulePath = /^\.{0,2}\/[^\0]{1,4096}$/

export function pluginSources(text: string): readonly string[] {
  return items(text).map((source) => {
    if (modulePath.test(source) || (source.length <= 214 && packageName.test(source))) return source
    throw new Unusable(
      `holds ${quote(source)}; it must be names of packages, or paths of modules that begin with ./, ../ or /, with ',' between them`,
    )
  })
}

const hostPattern = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/

/** A list for all organizations, or one for each: `acme=10.0.0.5,fd00::/8; *=127.0.0.1`. */
export function privateEgress(text: string): PrivateEgress {
  const organizations = new Map<string, readonly string[]>()
  let everyone: readonly string[] | undefined
  for (const part of text.split(';').map((one) => one.trim())) {
    if (part === '') continue
    const [code, list] = part.includes('=') ? splitOnce(part) : ['*', part]
    const entries = hostsAndRanges(list)
    if (code === '*') {
      if (everyone !== undefined) throw new Unusable(`must have one list for all organizations; found two`)
      everyone = entries
      continue
    }
    if (!new RegExp(codePattern).test(code)) {
      throw new Unusable(
        `holds ${quote(`${code}=`)}; what stands before '=' must be the code of an organization, or * for all others, e.g. acme=10.0.0.5; *=127.0.0.1`,
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
      `holds ${quote(item)}; it must be hosts and ranges of addresses with ',' between them: a name or an address, with :port or without, ` +
        `or a range, e.g. 127.0.0.1:9000,[::1],siem.internal,10.1.0.0/16`,
    )
  })
}

function isHost(text: string): boolean {
  const port = Number(/\]?:(\d+)$/.exec(text)?.[1] ?? '1')
  return hostPattern.test(text) && port >= 1 && port <= 65_535
}

/** As the way out reads it. A range of all addresses would switch the guard off. */
function isRange(text: string): boolean {
  if (Number(text.split('/')[1]) === 0) return false
  try {
    parseAllowList([text])
    return true
  } catch {
    return false
  }
}

/** Addresses and ranges. */
export function proxies(text: string): readonly string[] {
  return items(text).map((item) => {
    try {
      parseTrustedProxies([item])
      return item
    } catch {
      throw new Unusable(
        `holds ${quote(item)}; it must be addresses and ranges of addresses with ',' between them, e.g. 127.0.0.1,10.1.0.0/16`,
      )
    }
  })
}

/** Destinations of the audit log. */
export function exportTargets(text: string): readonly ExportTarget[] {
  try {
    return parseTargets(items(text))
  } catch (error) {
    throw new Unusable((error as Error).message)
  }
}

/** A value for a header of HTTP. */
export function headerValue(text: string): string {
  if (/^[\x20-\x7e]{8,8000}$/.test(text)) return text
  throw new Unusable('must be 8 to 8000 visible ASCII characters, e.g. Bearer <token>')
}

const items = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
]

const quote = (text: string): string => `'${text.length > 80 ? `${text.slice(0, 80)}…` : text}'`
