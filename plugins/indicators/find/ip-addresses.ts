/** `public`: routed on the internet or reserved for documentation. `private`: every other assigned range. */
type IpScope = 'public' | 'private'

export interface IpAddress {
  /** Dotted decimal IPv4, RFC 5952 IPv6, without zone. */
  readonly value: string
  readonly scope: IpScope
}

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const wholeIpv4 = new RegExp(`^${octet}(?:\\.${octet}){3}$`)

/** Reads the whole of `text` as one address, in any notation; `undefined` if it is none. */
export function parseIp(text: string): IpAddress | undefined {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
  if (wholeIpv4.test(bare)) return { value: bare, scope: scopeOfIpv4(bare) }
  return bare.includes(':') ? parseIpv6(bare) : undefined
}

function parseIpv6(text: string): IpAddress | undefined {
  const zone = text.indexOf('%')
  const bare = zone === -1 ? text : text.slice(0, zone)
  const inUrl = `http://[${bare}]/`
  if (bare.length > 45 || !/^[0-9a-f:.]+$/i.test(bare) || !URL.canParse(inUrl)) return undefined
  const value = new URL(inUrl).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(value)
  if (mapped !== null) {
    const [high, low] = [parseInt(mapped[1] ?? '', 16), parseInt(mapped[2] ?? '', 16)]
    const ipv4 = `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
    return { value: ipv4, scope: scopeOfIpv4(ipv4) }
  }
  const first = value.startsWith('::') ? 0 : parseInt(value, 16)
  if (first >= 0x2000 && first <= 0x3fff) return { value, scope: 'public' }
  // 64:ff9b::/96 carries IPv4 addresses of the internet.
  if (value.startsWith('64:ff9b::')) return { value, scope: 'public' }
  const assigned = first >= 0xfc00 || value === '::1'
  // Eight written groups are an address; a short form in unassigned space is more often code (`Foo::bad`).
  return assigned || !bare.includes('::') ? { value, scope: assigned ? 'private' : 'public' } : undefined
}

function scopeOfIpv4(value: string): IpScope {
  const [a = 0, b = 0] = value.split('.').map(Number)
  const isPrivate =
    a === 0 ||
    a === 10 ||
    a === 127 ||
    a >= 224 || // multicast, reserved, broadcast
    (a === 100 && b >= 64 && b <= 127) || // shared by carriers and overlay networks
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b <= 31) ||
    (a === 192 && b === 168)
  return isPrivate ? 'private' : 'public'
}

const ipv4Pattern = new RegExp(`(?<![\\w.])${octet}(?:\\.${octet}){3}(?!\\w|\\.\\w)`, 'g')

/**
 * Addresses in running text; not networks (`10.0.0.0/8`), versions (`v1.2.3.4`, `Chrome/113.0.0.0`) or longer
 * numbers.
 */
export function findIps(text: string): IpAddress[] {
  return [...findIpv4s(text), ...findIpv6s(text)].toSorted((a, b) => a.at - b.at).map((one) => one.ip)
}

interface PlacedIp {
  readonly at: number
  readonly ip: IpAddress
}

function findIpv4s(text: string): PlacedIp[] {
  const found: PlacedIp[] = []
  for (const match of text.matchAll(ipv4Pattern)) {
    const before = text.slice(Math.max(0, match.index - 24), match.index)
    const after = text.slice(match.index + match[0].length, match.index + match[0].length + 4)
    if (!readsAsVersion(before, after) && !isNetwork(after, 32)) {
      found.push({ at: match.index, ip: { value: match[0], scope: scopeOfIpv4(match[0]) } })
    }
  }
  return found
}

/** Part of a name (`ip-1.2.3.4`), of a product token (`Chrome/1.2.3.4`), or labelled as a version. */
function readsAsVersion(before: string, after: string): boolean {
  if (/[A-Za-z_]-$/.test(before) || /^-[A-Za-z]/.test(after)) return true
  if (/[A-Z][A-Za-z]{1,15}\/$/.test(before)) return true
  return /(?:^|[^a-z])(?:v|ver|version|versions|build|release|firmware|oid)[\s:=."'/]{1,3}$/i.test(before)
}

/** A prefix shorter than the address denotes a network, which is no observable. */
function isNetwork(after: string, bits: number): boolean {
  const prefix = /^\/(\d{1,3})(?![\w.])/.exec(after)
  return prefix !== null && Number(prefix[1]) < bits
}

function findIpv6s(text: string): PlacedIp[] {
  const found: PlacedIp[] = []
  for (const match of text.matchAll(/[0-9A-Fa-f:.]+/g)) {
    const { index } = match
    let token = match[0]
    if (token.length > 64 || token.length < 3 || token.indexOf(':') === token.lastIndexOf(':')) continue
    const after = text.slice(index + token.length, index + token.length + 5)
    if (/^[A-Za-z_]/.test(after) || isNetwork(after, 128)) continue
    // `src:2001:db8::1`: the letters in front are a label, although the last may look like a hex digit.
    if (/[A-Za-z_]/.test(text[index - 1] ?? '')) token = token.slice(token.indexOf(':') + 1)
    token = token.replace(/(?<!:):$|\.$/, '').replace(/^:(?!:)/, '')
    if (isLongMac(token)) continue
    const ip = parseIpv6(token)
    // The IPv4 finder reports mapped addresses.
    if (ip !== undefined && ip.value.includes(':')) found.push({ at: index, ip })
  }
  return found
}

const isLongMac = (token: string): boolean => /^(?:[0-9A-Fa-f]{2}:){7}[0-9A-Fa-f]{2}$/.test(token)
