import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { ForbiddenError } from '../../core/errors/errors.ts'
import { parseLiteral, type AllowList } from './allow-list.ts'

/**
 * Metadata services of clouds, which hold the credentials of the machine. Refused whatever the operator
 * allows; some are in public ranges.
 */
const metadataAddresses = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
])

/** The part of IPv6 that is assigned to the public internet; the rest embeds, tunnels or is reserved. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

export function isAllowedAddress(text: string, hostAllowed: boolean, allowed: AllowList): boolean {
  // Scoped addresses (`fe80::1%eth0`) are always link-local.
  if (!ipaddr.isValid(text) || text.includes('%')) return false
  const address = ipaddr.process(text)
  if (metadataAddresses.has(address.toString())) return false
  if (hostAllowed || allowed.allowsAddress(address)) return true
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(globalUnicast)
}

/**
 * Checks the scheme and literal address of a URL before a connection is opened. (The URL parser has already
 * normalized numbers such as `2130706433` and `0x7f.1`.)
 *
 * @throws ForbiddenError `egress_forbidden`
 */
export function checkUrl(url: URL, allowed: AllowList): void {
  const hostAllowed = allowed.allowsHost(url.hostname, portOf(url))
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && hostAllowed)) {
    throw forbidden(`${url.protocol}//${url.host}`, 'only https is allowed', allowed)
  }
  const literal = parseLiteral(url.hostname)
  if (literal !== undefined && !isAllowedAddress(literal.toString(), hostAllowed, allowed)) {
    throw forbidden(url.host, 'the address is not public', allowed)
  }
}

/** A DNS lookup that succeeds only if every address of the name is allowed. */
export function guardedLookup(url: URL, allowed: AllowList, resolve: typeof lookup = lookup): LookupFunction {
  const hostAllowed = allowed.allowsHost(url.hostname, portOf(url))
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '')
      const refused = addresses.find(({ address }) => !isAllowedAddress(address, hostAllowed, allowed))
      if (refused !== undefined) {
        const which = allowed.isForConnections ? `its address ${refused.address}` : 'the address'
        return callback(forbidden(url.host, `${which} is not public`, allowed), '')
      }
      const [first] = addresses
      if (options.all === true) return callback(null, addresses)
      return first === undefined
        ? callback(new Error('no address'), '')
        : callback(null, first.address, first.family)
    })
  }
}

function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port)
}

function forbidden(what: string, why: string, { isForConnections }: AllowList): ForbiddenError {
  return new ForbiddenError('egress_forbidden', `request to ${what} refused: ${why}`, {
    hint: isForConnections
      ? 'allow the host or the private range in TOCSIN_ALLOW_PRIVATE_EGRESS'
      : 'use a public https address; reach private systems through a connection, which an administrator creates',
  })
}
