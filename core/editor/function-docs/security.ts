import type { Row } from './row.ts'

/** Addresses, names and indicators. */
export const security: readonly Row[] = [
  [
    'cidrContains(network, ip) -> bool',
    'the address is in the network; IPv4 or IPv6',
    'cidrContains("10.0.0.0/8", "10.1.2.3")',
  ],
  [
    'isPrivateIp(ip) -> bool',
    'private, loopback, link-local, shared (100.64.0.0/10), unspecified',
    'isPrivateIp("192.168.1.1")',
  ],
  [
    'domainOf(text) -> string',
    'the host of a URL, e-mail address or host name, in lower case',
    'domainOf("https://Mail.Example.com:8443/login")',
  ],
  ['defang(text) -> string', 'makes links and addresses unclickable', 'defang("https://evil.example/a")'],
  ['refang(text) -> string', 'the reverse, for common notations', 'refang("hxxps://evil[.]example")'],
  [
    'version.compareTo(other) -> int',
    '-1, 0 or 1; versions of numbers with dots, a pre-release and a `v`',
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
  ['isSemver(text[, normalize]) -> bool', 'whether it is one', 'isSemver("1.2")'],
]
