import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Whether the forwarding headers of a proxy are trusted. */
export type IsTrusted = (address: Address) => boolean

/**
 * Reads addresses and ranges of proxies, e.g. `127.0.0.1` and `10.1.0.0/16`.
 *
 * @throws Error that names the entry that cannot be read
 */
export function parseTrustedProxies(entries: readonly string[]): IsTrusted {
  const ranges = entries.map(parseEntry)
  return (address) =>
    ranges.some(([from, bits]) => address.kind() === from.kind() && address.match(from, bits))
}

function parseEntry(entry: string): readonly [Address, number] {
  const [text = ''] = entry.split('/', 1)
  // `10.1` would be read as 10.0.0.1.
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)
  if (isAddress && text === entry) {
    const address = ipaddr.process(entry)
    return [address, address.kind() === 'ipv4' ? 32 : 128]
  }
  const range = isAddress && ipaddr.isValidCIDR(entry) ? ipaddr.parseCIDR(entry) : undefined
  if (range !== undefined && isNarrow(range)) return range
  throw new Error(`'${entry}' is not an IP address or address range`)
}

/** The largest allowed range, that of the private network `fc00::/7`. */
const fewestBits = 7

/**
 * Trusting every address would let clients choose their own address. Senders are compared as IPv4 where they
 * are: a range of mapped addresses would match none.
 */
const isNarrow = ([from, bits]: readonly [Address, number]): boolean =>
  bits >= fewestBits && !(from instanceof ipaddr.IPv6 && from.isIPv4MappedAddress())

const matchers = new WeakMap<readonly string[], (address: string) => boolean>()

/** Whether an address is one of these, or in one of these ranges; see `parseTrustedProxies`. Kept per list. */
export function addressMatcher(entries: readonly string[]): (address: string) => boolean {
  let matches = matchers.get(entries)
  if (matches === undefined) {
    const isListed = parseTrustedProxies(entries)
    matches = (address) => ipaddr.isValid(address) && isListed(ipaddr.process(address))
    matchers.set(entries, matches)
  }
  return matches
}
