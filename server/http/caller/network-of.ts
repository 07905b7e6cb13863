import ipaddr from 'ipaddr.js'

/** Prefix length of IPv6: one sender usually has all addresses of a network (RFC 6177). */
const senderBits = 64

/** What rate limits count by: an IPv4 address, or the network of an IPv6 address. */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4'
    ? parsed.toString()
    : ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${senderBits}`).toString()
}
