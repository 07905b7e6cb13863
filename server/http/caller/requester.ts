import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import QuickLRU from 'quick-lru'
import { parseTrustedProxies } from '../server/trusted-proxies.ts'

/** The client of a request, as far as it can be trusted. */
export interface Requester {
  /** The peer of the connection, or the client that a trusted proxy names. */
  readonly address: string
  /** Uses TLS, according to a trusted proxy or the public address of the server. */
  readonly isTls: boolean
}

/**
 * @param trustedProxies addresses and ranges; headers of others are ignored
 * @param isPublicTls the public address uses TLS, whatever a proxy says
 */
export function requesterOf(
  trustedProxies: readonly string[],
  isPublicTls: boolean,
): (request: IncomingMessage) => Requester {
  const isTrusted = parseTrustedProxies(trustedProxies)

  /**
   * Reads from the right, where the nearest proxy has appended its client, as far as each hop is trusted and
   * readable. Entries further left can be forged.
   */
  function behind(proxy: string, forwarded: string): string {
    let nearest = proxy
    for (let end = forwarded.length; end > 0;) {
      const start = forwarded.lastIndexOf(',', end - 1)
      const address = addressOf(forwarded.slice(start + 1, end))
      if (address === undefined) return nearest
      nearest = address.toString()
      if (!isTrusted(address)) return nearest
      end = start
    }
    return nearest
  }

  const peers = new QuickLRU<string, { readonly address: string; readonly isProxy: boolean }>({
    maxSize: 1_000,
  })

  function peerOf(remoteAddress: string) {
    let peer = peers.get(remoteAddress)
    if (peer === undefined) {
      const parsed = addressOf(remoteAddress)
      peer = { address: parsed?.toString() ?? '', isProxy: parsed !== undefined && isTrusted(parsed) }
      peers.set(remoteAddress, peer)
    }
    return peer
  }

  return ({ socket, headers }) => {
    const { address, isProxy } = peerOf(socket.remoteAddress ?? '')
    if (!isProxy) return { address, isTls: isPublicTls }
    const forwarded = textOf(headers['x-forwarded-for'])
    const isTls = isPublicTls || textOf(headers['x-forwarded-proto']).trim().toLowerCase() === 'https'
    return { address: behind(address, forwarded), isTls }
  }
}

/** Longer entries are not addresses. */
const maxEntry = 100

/** `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:4711`; IPv4 inside IPv6 is unwrapped. */
function addressOf(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const entry = text.trim()
  if (entry.length > maxEntry) return undefined
  const [, inBrackets, withPort] = /^(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(entry) ?? []
  const bare = inBrackets ?? withPort ?? entry
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(bare) || ipaddr.IPv6.isValid(bare)
  return isAddress ? ipaddr.process(bare) : undefined
}

/** Node joins repeated headers with a comma; its types do not say so. */
const textOf = (value: string | readonly string[] | undefined): string =>
  typeof value === 'string' ? value : (value?.join(',') ?? '')
