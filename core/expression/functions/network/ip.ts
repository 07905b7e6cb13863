/**
 * An address as its bytes: 4 or 16 of them. An IPv4 address mapped into IPv6 (`::ffff:10.0.0.1`) is the IPv4
 * address.
 */
export type Address = readonly number[]

const dottedQuad = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/

/**
 * Parses an IPv4 or IPv6 address; undefined if invalid. Leading zeros are rejected, since parsers disagree on
 * them.
 */
export function parseAddress(text: string): Address | undefined {
  if (text.length > 45) return undefined
  const address = text.includes(':') ? parseV6(text) : parseV4(text)
  const mapped = address?.length === 16 && address.slice(0, 10).every((byte) => byte === 0)
  return mapped && address[10] === 255 && address[11] === 255 ? address.slice(12) : address
}

function parseV4(text: string): Address | undefined {
  const found = dottedQuad.exec(text)
  if (!found) return undefined
  const parts = found.slice(1)
  if (parts.some((part) => part.length > 1 && part.startsWith('0'))) return undefined
  const bytes = parts.map(Number)
  return bytes.every((byte) => byte <= 255) ? bytes : undefined
}

function parseV6(text: string): Address | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [head, tail] = halves.map((half) => (half === '' ? [] : groups(half)))
  if (!head || (halves.length === 2 && !tail)) return undefined
  const gap = 16 - head.length - (tail?.length ?? 0)
  if (halves.length === 2 ? gap < 2 : gap !== 0) return undefined
  return [...head, ...Array<number>(gap).fill(0), ...(tail ?? [])]
}

function groups(text: string): number[] | undefined {
  const bytes: number[] = []
  const parts = text.split(':')
  for (const [at, part] of parts.entries()) {
    if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      const group = parseInt(part, 16)
      bytes.push(group >> 8, group & 255)
    } else {
      const quad = at === parts.length - 1 ? parseV4(part) : undefined
      if (!quad) return undefined
      bytes.push(...quad)
    }
  }
  return bytes
}

/** A network: an address and how many of its leading bits count. */
export interface Network {
  readonly address: Address
  readonly bits: number
}

/** Reads `10.0.0.0/8`; a plain address is a network of one. */
export function parseNetwork(text: string): Network | undefined {
  if (text.length > 49) return undefined
  const [base = '', length, rest] = text.split('/')
  const address = parseAddress(base)
  if (!address || rest !== undefined) return undefined
  const all = address.length * 8
  if (length === undefined) return { address, bits: all }
  if (!/^\d{1,3}$/.test(length)) return undefined
  // In a mapped address, 96 bits precede the IPv4 part.
  const bits = Number(length) - (base.includes(':') && address.length === 4 ? 96 : 0)
  return bits >= 0 && bits <= all ? { address, bits } : undefined
}

export function isInside(address: Address, { address: base, bits }: Network): boolean {
  if (address.length !== base.length) return false
  const full = bits >> 3
  for (let at = 0; at < full; at++) if (address[at] !== base[at]) return false
  const rest = bits & 7
  return rest === 0 || (address[full]! ^ base[full]!) >> (8 - rest) === 0
}

/** Private and other special networks without public hosts. */
const privateNetworks: readonly Network[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::/128',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
].map((network) => parseNetwork(network)!)

export const isPrivate = (address: Address): boolean =>
  privateNetworks.some((network) => isInside(address, network))

/** The network with its first address. */
export function masked({ address, bits }: Network): Network {
  const base = address.map((byte, at) => {
    const kept = Math.min(8, Math.max(0, bits - at * 8))
    return byte & (0xff00 >> kept) & 0xff
  })
  return { address: base, bits }
}

/** The canonical text of an address, for IPv6 as in RFC 5952. */
export function writeAddress(address: Address): string {
  if (address.length === 4) return address.join('.')
  const parts = Array.from({ length: 8 }, (_, at) => (address[2 * at]! << 8) | address[2 * at + 1]!)
  const gap = longestZeros(parts)
  const write = (some: readonly number[]): string => some.map((part) => part.toString(16)).join(':')
  return gap.length < 2
    ? write(parts)
    : `${write(parts.slice(0, gap.start))}::${write(parts.slice(gap.start + gap.length))}`
}

/** The first of the longest runs of zeros. */
function longestZeros(parts: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 }
  let length = 0
  for (const [at, part] of parts.entries()) {
    length = part === 0 ? length + 1 : 0
    if (length > best.length) best = { start: at - length + 1, length }
  }
  return best
}
