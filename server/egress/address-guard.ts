import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { ForbiddenError } from '../../core/errors/errors.ts'
import { parseLiteral, type AllowList } from './allow-list.ts'

/**
 * Where clouds keep the credentials of the machine. Refused whatever range the operator allows; some of them lie in ranges that
 * count as public.
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

/** The part of IPv6 that is handed out for the public internet; the rest embeds, tunnels or is reserved. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether an address may be connected to. */
export function isAllowedAddress(text: string, hostAllowed: boolean, allowed: AllowList): boolean {
  // Scoped addresses (`fe80::1%eth0`) are link-local whatever they look like.
  if (!ipaddr.isValid(text) || text.includes('%')) return false
  const address = ipaddr.process(text)
  if (metadataAddresses.has(address.toString())) return false
  if (hostAllowed || allowed.allowsAddress(address)) return true
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(globalUnicast)
}

/**
 * Checks what a URL says before anything is opened: scheme and literal addresses. (Numbers such as `2130706433` and `0x7f.1` have
 * become plain addresses when the URL was parsed.)
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

/** Name resolution that gives an address back only when every address of the name may be connected to. */
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
  return new ForbiddenError('egress_forbidden', `no request is sent to ${what}: ${why}`, {
    hint: isForConnections
      ? 'the operator can allow hosts and private ranges in TOCSIN_ALLOW_PRIVATE_EGRESS'
      : 'give a public https address; a private system is reached through a connection, which an administrator creates',
  })
}
