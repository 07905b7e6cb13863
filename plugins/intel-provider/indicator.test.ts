import { expect } from 'chai'
import { pathText } from 'tocsin/plugin'
import { lookupPath, type IndicatorKind } from './indicator.ts'

type Row = readonly [kind: IndicatorKind, value: string, path: string]

const accepted: readonly Row[] = [
  ['ip', '1.2.3.4', '/v2/ip/1.2.3.4'],
  ['ip', ' 1.2.3.4\n', '/v2/ip/1.2.3.4'],
  ['ip', '2001:DB8::1', '/v2/ip/2001%3Adb8%3A%3A1'],
  ['ip', '::ffff:192.0.2.1', '/v2/ip/%3A%3Affff%3A192.0.2.1'],
  ['domain', 'Example.COM.', '/v2/domain/example.com'],
  ['domain', 'bücher.example', '/v2/domain/xn--bcher-kva.example'],
  ['domain', '_dmarc.example.com', '/v2/domain/_dmarc.example.com'],
  ['url', 'https://a.b/../../v2/ip/1.1.1.1', '/v2/url/https%3A%2F%2Fa.b%2F..%2F..%2Fv2%2Fip%2F1.1.1.1'],
  ['url', 'https://a.b/..;/manager', '/v2/url/https%3A%2F%2Fa.b%2F..%3B%2Fmanager'],
  ['url', 'https://a.b/c?d=e&f=%2F#x', '/v2/url/https%3A%2F%2Fa.b%2Fc%3Fd%3De%26f%3D%252F%23x'],
  ['url', 'hTTp://A.b/ü', '/v2/url/hTTp%3A%2F%2FA.b%2F%C3%BC'],
  ['hash', 'D41D8CD98F00B204E9800998ECF8427E', '/v2/hash/d41d8cd98f00b204e9800998ecf8427e'],
  ['hash', 'a'.repeat(40), `/v2/hash/${'a'.repeat(40)}`],
  ['hash', 'a'.repeat(64), `/v2/hash/${'a'.repeat(64)}`],
  ['vulnerability', 'cve-2021-44228', '/v2/vulnerability/CVE-2021-44228'],
  ['vulnerability', 'LEyYOW', '/v2/vulnerability/LEyYOW'],
  ['company', 'Cq_xI', '/v2/company/Cq_xI'],
  ['company', 'Example.com', '/v2/company/by_domain/example.com'],
]

const refused: readonly Row[] = [
  ['ip', '1.2.3.0/24', 'is a range'],
  ['ip', '2001:db8::/32', 'is a range'],
  ['ip', '1.2.3.4:80', 'is not an IPv4 or IPv6 address'],
  ['ip', '01.2.3.4', 'is not an IPv4 or IPv6 address'],
  ['ip', '1.2.3', 'is not an IPv4 or IPv6 address'],
  ['ip', 'fe80::1%eth0', 'is not an IPv4 or IPv6 address'],
  ['ip', '1::2::3', 'is not an IPv4 or IPv6 address'],
  ['domain', '..', 'is not a domain name'],
  ['domain', '.', 'is not a domain name'],
  ['domain', 'localhost', 'is not a domain name'],
  ['domain', '1.2.3.4', 'is not a domain name'],
  ['domain', '0x7f.1', 'is not a domain name'],
  ['domain', 'https://example.com', 'is not a domain name'],
  ['domain', 'example.com/../ip', 'is not a domain name'],
  ['domain', `${'a'.repeat(64)}.com`, 'is not a domain name'],
  ['url', 'example.com/login', 'is not an absolute address'],
  ['url', 'javascript:alert(1)', 'is not an absolute address'],
  ['url', 'https://a.b/c d', 'is not an absolute address'],
  ['url', 'https://a.b/\u0000', 'is not an absolute address'],
  ['url', 'https://a.b/\ud800', 'is not an absolute address'],
  ['url', `https://a.b/${'ü'.repeat(1300)}`, 'is too long'],
  ['hash', 'a'.repeat(63), 'is not a file hash'],
  ['hash', 'g'.repeat(64), 'is not a file hash'],
  ['hash', 'a'.repeat(128), 'is a SHA-512'],
  ['vulnerability', 'Log4Shell', 'is not a CVE id'],
  ['vulnerability', 'EternalBlue', 'is not a CVE id'],
  ['vulnerability', 'CVE-1', 'is not a CVE id'],
  ['vulnerability', 'CVE-2021-44228/../x', 'is not a CVE id'],
  ['company', 'Microsoft', 'is neither the id nor the domain'],
  ['company', 'Example Corp', 'is neither the id nor the domain'],
  ['company', '..', 'is neither the id nor the domain'],
]

const leadsElsewhere = [
  'https://a.b/../../../ip/1.1.1.1',
  'https://a.b/%2e%2e/%2e%2e/%2e%2e/ip/1.1.1.1',
  'https://a.b/..;/..;/..;/x',
  'https://a.b/..%252f..%252f..%252fx',
  'https://a.b/..\\..\\..\\x',
]

describe('lookupPath', () => {
  for (const [kind, value, path] of accepted) {
    it(`requests the ${kind} ${JSON.stringify(value)} at ${path}`, () => {
      expect(pathText(lookupPath(kind, value))).to.equal(path)
    })
  }

  for (const [kind, value, problem] of refused) {
    it(`refuses ${JSON.stringify(value).slice(0, 40)} as ${kind}: it ${problem}`, () => {
      expect(() => lookupPath(kind, value))
        .to.throw(problem)
        .with.property('code', 'invalid_indicator')
    })
  }

  for (const value of leadsElsewhere) {
    it(`returns no path for ${value}, which gateways may resolve`, () => {
      expect(() => pathText(lookupPath('url', value)))
        .to.throw("'..'")
        .with.property('code', 'bad_path')
    })
  }

  it('returns a path that a URL parser does not change', () => {
    for (const [, , path] of accepted) expect(new URL(path, 'https://api.test').pathname).to.equal(path)
  })

  it('truncates a long value in its message', () => {
    expect(() => lookupPath('ip', 'x'.repeat(4000)))
      .to.throw()
      .with.property('message')
      .with.length.below(300)
  })

  it('handles long hostile values quickly', () => {
    const started = performance.now()
    for (const kind of ['ip', 'domain', 'url', 'hash', 'vulnerability', 'company'] as const) {
      for (const text of ['a.', 'a-', ':', '1.', 'xn--', 'http://']) {
        expect(() => lookupPath(kind, `${text.repeat(1300)} x`)).to.throw()
      }
    }
    expect(performance.now() - started).to.be.below(2000)
  })
})
