import ipaddr from 'ipaddr.js'
import { SkillError } from 'tocsin/plugin'
import { parse } from 'tldts'

const digits: Readonly<Record<string, number>> = {
  FileMd5: 32,
  FileSha1: 40,
  FileSha256: 64,
  CertificateThumbprint: 40,
}

/**
 * Refuses values that the platform would reject or take for another type; the error names the likely intent.
 *
 * @throws SkillError `invalid_indicator`
 */
export function checkIndicator(
  indicator: {
    readonly indicatorValue: string
    readonly indicatorType: string
    readonly action: string
    readonly generateAlert?: boolean | undefined
    readonly expirationTime?: string | undefined
  },
  nowMs: number,
): void {
  const { indicatorValue, indicatorType, action, generateAlert, expirationTime } = indicator
  const length = digits[indicatorType]
  if (length !== undefined && !(indicatorValue.length === length && /^[0-9a-f]+$/i.test(indicatorValue))) {
    throw invalid(`${indicatorType} has ${length} hexadecimal digits`)
  }
  if (indicatorType === 'IpAddress' && !isIpAddress(indicatorValue)) {
    throw invalid('an IpAddress is one IPv4 or IPv6 address, not a range')
  }
  if (indicatorType === 'DomainName' && !isDomain(indicatorValue)) {
    throw invalid(
      'a DomainName is a name such as evil.example without scheme, port and path, and not a public suffix such as com',
    )
  }
  if (indicatorType === 'Url' && !isAddress(indicatorValue)) {
    throw invalid(
      'a Url is an http or https address whose host is an IP address or a domain such as evil.example',
    )
  }
  if (expirationTime !== undefined && Date.parse(expirationTime) <= nowMs) {
    throw invalid(`expirationTime ${expirationTime} is in the past`)
  }
  if (action === 'Audit' && generateAlert !== true) throw invalid('Audit needs generateAlert: true')
}

const isIpAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)

/** Refuses public suffixes: `com` or `co.uk` would match millions of domains. */
function isDomain(name: string): boolean {
  const { hostname, domain, isIp } = parse(name, { allowPrivateDomains: false })
  return hostname === name.toLowerCase() && domain !== null && isIp !== true
}

function isAddress(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || /\s/.test(text) || !/^https?:$/.test(url.protocol)) return false
  return isDomain(url.hostname) || isIpAddress(url.hostname.replace(/^\[|\]$/g, ''))
}

const invalid = (why: string): SkillError =>
  new SkillError('invalid_indicator', why, {
    hint: 'correct the inputs of the step',
  })
