import ipaddr from 'ipaddr.js'

/** Of IPv6, what belongs to one sender: whoever has one address has all that begin like it (RFC 6177). */
const senderBits = 64

/** What limits go by: an IPv4 address as it is, of an IPv6 address the network that a sender is given. */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4'
    ? parsed.toString()
    : ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${senderBits}`).toString()
}
