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
]
