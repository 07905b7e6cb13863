import ipaddr from 'ipaddr.js'
import { isLoopback } from './loopback.ts'

/** Why other systems cannot send to this address; undefined if they can. */
export function unreachableFromOutside(publicUrl: string): string | undefined {
  const { hostname, protocol } = new URL(publicUrl)
  const fix = 'set TOCSIN_PUBLIC_URL to the https address that the other system can reach'
  if (isLoopback(hostname)) return `${publicUrl} is only reachable on this machine: ${fix}`
  if (isPrivate(hostname)) return `${publicUrl} is a private address: ${fix}`
  return protocol === 'https:' ? undefined : `${publicUrl} is not https, which other systems require: ${fix}`
}

/** A private address, or a name that public DNS does not know. */
function isPrivate(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (ipaddr.isValid(bare)) return ipaddr.process(bare).range() !== 'unicast'
  return !bare.includes('.') || /\.(local|internal|lan|home\.arpa|test|invalid)$/.test(bare)
}
