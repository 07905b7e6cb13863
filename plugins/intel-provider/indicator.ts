import { domainToASCII } from 'node:url'
import { SkillError } from 'tocsin/plugin'

export const indicatorKinds = ['ip', 'domain', 'url', 'hash', 'vulnerability', 'company'] as const
export type IndicatorKind = (typeof indicatorKinds)[number]

/**
 * Path segments below the base URL that request one indicator. Throws SkillError `invalid_indicator` for a
 * value that is not of the kind.
 */
export function lookupPath(kind: IndicatorKind, value: string): readonly string[] {
  return ['v2', kind, ...[readers[kind](value.trim())].flat()]
}

/** Each returns the rest of the path: one segment or several. */
const readers: Readonly<Record<IndicatorKind, (value: string) => string | readonly string[]>> = {
  ip: ipSegment,
  domain: domainName,
  url: urlSegment,
  hash: hashSegment,
  vulnerability: vulnerabilitySegment,
  company: companySegment,
}

const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

function isIpv6(value: string): boolean {
  return /^[0-9a-f:.]{2,45}$/i.test(value) && value.includes(':') && URL.canParse(`http://[${value}]/`)
}

function ipSegment(value: string): string {
  if (ipv4.test(value) || isIpv6(value)) return value.toLowerCase()
  if (value.includes('/')) {
    refuse(
      'ip',
      value,
      'is a range',
      'the provider enriches single addresses: look up one address of the range',
    )
  }
  return refuse('ip', value, 'is not an IPv4 or IPv6 address', 'write one address, without port and zone')
}

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/** Lower case ASCII form, as in DNS. */
function domainName(value: string): string {
  const ascii = asDomainName(value)
  if (ascii === undefined) {
    refuse(
      'domain',
      value,
      'is not a domain name',
      'write a name such as example.com; use the kind url or ip for others',
    )
  }
  return ascii
}

function asDomainName(value: string): string | undefined {
  // The conversion would drop some of these characters instead of failing.
  if (/[\s/?#@:\\%]/.test(value) || value.length > 253) return undefined
  const ascii = domainToASCII(value.endsWith('.') ? value.slice(0, -1) : value)
  const labels = ascii.split('.')
  const fits = labels.length > 1 && ascii.length <= 253 && labels.every((text) => label.test(text))
  return fits && !ipv4.test(ascii) ? ascii : undefined
}

const longestSegment = 7500

function urlSegment(value: string): string {
  // The provider compares addresses as text, so they are sent as written. Addresses never contain spaces or
  // control characters, and an unpaired surrogate cannot be encoded.
  if (!/^[a-z][a-z0-9+.-]{0,30}:\/\/[^\s\p{Cc}]+$/iu.test(value) || !value.isWellFormed()) {
    refuse(
      'url',
      value,
      'is not an absolute address',
      'write the full address, with its scheme and without spaces',
    )
  }
  // Servers commonly refuse request lines of more than 8 KB, with varying errors.
  if (encodeURIComponent(value).length > longestSegment) {
    refuse(
      'url',
      value,
      'is too long to look up',
      `it may have ${longestSegment} characters when percent-encoded`,
    )
  }
  return value
}

function hashSegment(value: string): string {
  if (/^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/i.test(value)) return value.toLowerCase()
  const hint = 'write MD5, SHA-1 or SHA-256 as 32, 40 or 64 hex digits'
  if (/^[0-9a-f]{128}$/i.test(value))
    refuse('hash', value, 'is a SHA-512, which the provider does not support', hint)
  return refuse('hash', value, 'is not a file hash', hint)
}

/** The provider's own ids, e.g. `LEyYOW`: short and case-sensitive. */
const entityId = /^[A-Za-z0-9_-]{4,8}$/

/**
 * Whether the value would be requested as one of the provider's own ids. A short name looks the same, e.g.
 * `Contoso`.
 */
export function isProvidersId(kind: IndicatorKind, value: string): boolean {
  return (kind === 'vulnerability' || kind === 'company') && entityId.test(value.trim())
}

function vulnerabilitySegment(value: string): string {
  if (/^CVE-\d{4}-\d{4,19}$/i.test(value)) return value.toUpperCase()
  if (entityId.test(value) && !/^CVE/i.test(value)) return value
  return refuse(
    'vulnerability',
    value,
    'is not a CVE id',
    'names are not ids: write CVE-<year>-<number>, or the provider’s id',
  )
}

function companySegment(value: string): string | readonly string[] {
  if (entityId.test(value)) return value
  const domain = asDomainName(value)
  if (domain !== undefined) return ['by_domain', domain]
  return refuse(
    'company',
    value,
    'is neither the id nor the domain of a company',
    'names are not unique: give the domain of the company, or the provider’s id',
  )
}

function refuse(kind: IndicatorKind, value: string, problem: string, hint: string): never {
  const shown = value.length > 200 ? `${value.slice(0, 200)}…` : value
  throw new SkillError('invalid_indicator', `'${shown.toWellFormed()}' ${problem}`, {
    hint,
    details: { kind },
  })
}
