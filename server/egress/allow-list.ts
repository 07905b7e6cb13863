import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The operator's exceptions beyond the public internet: private addresses, and plain http. */
export interface AllowList {
  /**
   * False for requests whose address a playbook chose: their errors must not reveal addresses of the internal
   * network.
   */
  readonly isForConnections: boolean
  /** The host of a URL, as a name or a literal address. */
  allowsHost(hostname: string, port: number): boolean
  allowsAddress(address: Address): boolean
}

/** For requests without a connection: only the public internet. */
export const publicOnly: AllowList = {
  isForConnections: false,
  allowsHost: () => false,
  allowsAddress: () => false,
}

/**
 * Reads the list of the operator. An entry is `host`, `host:port`, an address, `[v6]:port`, or a range such
 * as `10.1.0.0/16`.
 *
 * @throws Error naming the invalid entry
 */
export function parseAllowList(entries: readonly string[]): AllowList {
  const ranges: (readonly [Address, number])[] = []
  const hosts = new Set<string>()
  for (const entry of entries) {
    const range = parseRange(entry)
    if (range !== undefined) ranges.push(range)
    else hosts.add(parseHost(entry))
  }
  const allowsAddress = (address: Address): boolean =>
    ranges.some(([from, bits]) => address.kind() === from.kind() && address.match(from, bits))
  return {
    isForConnections: true,
    allowsAddress,
    allowsHost(hostname, port) {
      if (hosts.has(hostname) || hosts.has(`${hostname}:${port}`)) return true
      const literal = parseLiteral(hostname)
      return literal !== undefined && allowsAddress(literal)
    },
  }
}

/** The address that a hostname spells, with IPv4 inside IPv6 unwrapped; undefined for a name. */
export function parseLiteral(hostname: string): Address | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined
}

function parseRange(entry: string): readonly [Address, number] | undefined {
  if (!entry.includes('/')) return undefined
  const [address = ''] = entry.split('/', 1)
  // `10.1/16` would mean 10.0.0.1/16.
  const complete = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)
  if (complete && ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry)
  throw new Error(`'${entry}' is not an address range such as 10.1.0.0/16`)
}

/** As URL parsers write it: in lower case, addresses in their shortest form. */
function parseHost(entry: string): string {
  const text = ipaddr.IPv6.isValid(entry) ? `[${entry}]` : entry
  const url = URL.canParse(`ftp://${text}`) ? new URL(`http://${text}`) : undefined
  if (
    url === undefined ||
    url.hostname === '' ||
    url.pathname !== '/' ||
    url.username !== '' ||
    url.search !== ''
  ) {
    throw new Error(`'${entry}' is not a host, host:port or address range`)
  }
  const port = /:(\d+)$/.exec(text)?.[1]
  return port === undefined || ipaddr.IPv6.isValid(entry) ? url.hostname : `${url.hostname}:${port}`
}
