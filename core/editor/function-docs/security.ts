import type { Row } from './row.ts'

/** Addresses, URLs, domains and indicators. */
export const securityDocs: readonly Row[] = [
  ['isIP(text) -> bool', 'it is an IPv4 or IPv6 address', 'isIP("10.0.0.256")'],
  ['ip(text) -> string', 'the address in its canonical form', 'ip("2001:DB8::0:1")'],
  [
    'isPrivateIp(ip) -> bool',
    'private, loopback, link-local, shared (100.64.0.0/10), unspecified',
    'isPrivateIp("192.168.1.1")',
  ],
  ['ip.family() -> int', '4 or 6', '"::1".family()'],
  [
    'ip.isGlobalUnicast() -> bool',
    'not a loopback, link-local, multicast, broadcast or unspecified address; true for private ones',
    '"10.0.0.7".isGlobalUnicast()',
  ],
  ['ip.isLoopback() -> bool', 'in 127.0.0.0/8, or `::1`', '"127.0.0.1".isLoopback()'],
  [
    'ip.isLinkLocalUnicast() -> bool',
    'in 169.254.0.0/16 or fe80::/10',
    '"169.254.169.254".isLinkLocalUnicast()',
  ],
  [
    'ip.isLinkLocalMulticast() -> bool',
    'in 224.0.0.0/24 or ff02::/16',
    '"224.0.0.251".isLinkLocalMulticast()',
  ],
  ['ip.isUnspecified() -> bool', '`0.0.0.0` or `::`', '"0.0.0.0".isUnspecified()'],
  [
    'cidrContains(network, ip) -> bool',
    'the address is in the network; IPv4 or IPv6',
    'cidrContains("10.0.0.0/8", "10.1.2.3")',
  ],
  [
    'network.containsIP(ip) -> bool',
    'the address is in the network',
    '["10.0.0.0/8", "fc00::/7"].exists(n, n.containsIP("fd00::1"))',
  ],
  [
    'network.containsCIDR(other) -> bool',
    'the other network is part of it',
    '"10.0.0.0/8".containsCIDR("10.1.0.0/16")',
  ],
  ['isCIDR(text) -> bool', 'it is a network with a prefix length', 'isCIDR("10.0.0.0")'],
  ['cidr(text) -> string', 'the network in its canonical form', 'cidr("2001:DB8::/32")'],
  ['network.masked() -> string', 'the network, starting at its first address', '"10.1.2.3/8".masked()'],
  ['network.prefixLength() -> int', 'its prefix length', '"10.0.0.0/8".prefixLength()'],
  [
    'domainOf(text) -> string',
    'the host of a URL, e-mail address or host name, in lower case',
    'domainOf("https://Mail.Example.com:8443/login")',
  ],
  [
    'registeredDomain(text) -> optional',
    'the registered domain, by the [Public Suffix List](https://publicsuffix.org)',
    'registeredDomain("https://mail.example.co.uk/").orValue("")',
  ],
  [
    'publicSuffix(text) -> optional',
    'the suffix under which domains are registered',
    'publicSuffix("dana.github.io").orValue("")',
  ],
  ['isURL(text) -> bool', 'it is a URL or an absolute path', 'isURL("../path")'],
  ['url(text) -> string', 'the URL, if the text is one', 'url("https://example.com/a").getHost()'],
  ['url.getScheme() -> string', 'the scheme; empty for a path', '"https://example.com".getScheme()'],
  [
    'url.getHost() -> string',
    'the host, as browsers read it, with the port if there is one',
    '"https://dana@Example.com:8443/".getHost()',
  ],
  ['url.getHostname() -> string', 'the host without the port', '"https://[::1]:8443/".getHostname()'],
  ['url.getPort() -> string', 'the port; empty if the URL has none', '"https://example.com:8443/".getPort()'],
  [
    'url.getEscapedPath() -> string',
    'the path, percent-encoded',
    '"https://example.com/a b?c".getEscapedPath()',
  ],
  [
    'url.getQuery() -> map',
    'the values of each query parameter',
    '"https://example.com/?to=x&to=y%40z".getQuery()',
  ],
  ['defang(text) -> string', 'makes links and addresses unclickable', 'defang("https://evil.example/a")'],
  ['refang(text) -> string', 'undoes `defang`, for common notations', 'refang("hxxps://evil[.]example")'],
]

/** Versions of software. */
export const versionDocs: readonly Row[] = [
  [
    'version.compareTo(other) -> int',
    '-1, 0 or 1; for versions such as `1.10`, `v2.0` and `1.0.0-rc.1`',
    '"10.0.19045".compareTo("10.0.22000")',
  ],
  ['version.isLessThan(other) -> bool', 'the version is lower', '"1.0.0-rc.1".isLessThan("1.0.0")'],
  ['version.isGreaterThan(other) -> bool', 'the version is higher', '"1.10".isGreaterThan("1.9")'],
  ['version.major() -> int', 'the first number', '"1.2.3".major()'],
  ['version.minor() -> int', 'the second number, or 0', '"1.2.3".minor()'],
  ['version.patch() -> int', 'the third number, or 0', '"1.2".patch()'],
  [
    'semver(text[, normalize]) -> string',
    'the text, if it is a [semantic version](https://semver.org); `true` first removes `v` and adds numbers',
    'semver("v1.2", true)',
  ],
  ['isSemver(text[, normalize]) -> bool', 'it is a semantic version', 'isSemver("1.2")'],
]
