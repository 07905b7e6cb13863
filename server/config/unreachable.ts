import ipaddr from 'ipaddr.js'
import { isLoopback } from './loopback.ts'

/** Why other systems cannot send to an address of this server; undefined where nothing speaks against it. */
export function unreachableFromOutside(publicUrl: string): string | undefined {
  const { hostname, protocol } = new URL(publicUrl)
  const fix = 'set TOCSIN_PUBLIC_URL to the https address that the other system can reach'
  if (isLoopback(hostname)) return `${publicUrl} is an address of this machine alone: ${fix}`
  if (isPrivate(hostname)) return `${publicUrl} is a private address: ${fix}`
  return protocol === 'https:' ? undefined : `${publicUrl} is not https, which other systems require: ${fix}`
}

/** By an address that is not public, or a name that no public name server knows. */
function isPrivate(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (ipaddr.isValid(bare)) return ipaddr.process(bare).range() !== 'unicast'
  return !bare.includes('.') || /\.(local|internal|lan|home\.arpa|test|invalid)$/.test(bare)
}
