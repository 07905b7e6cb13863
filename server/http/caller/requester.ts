import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import { parseTrustedProxies } from '../server/trusted-proxies.ts'

/** Whom a request comes from, as far as that can be believed. */
export interface Requester {
  /** Of the other end of the connection, or of whom a proxy that is trusted names there. */
  readonly address: string
  /** They speak TLS: with a proxy that is trusted and says so, or since the server is reached that way. */
  readonly isTls: boolean
}

/**
 * @param trustedProxies addresses and ranges; of all others nothing is believed
 * @param isPublicTls people reach the server over TLS, whatever a proxy says
 */
export function requesterOf(
  trustedProxies: readonly string[],
  isPublicTls: boolean,
): (request: IncomingMessage) => Requester {
  const isTrusted = parseTrustedProxies(trustedProxies)

  /**
   * From the right, where the nearest proxy has added whom it was called by: as far as those are trusted who wrote it, and no further than what can
   * be read. Entries to the left of that are whatever the sender likes.
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

  return ({ socket, headers }) => {
    const peer = addressOf(socket.remoteAddress ?? '')
    const address = peer?.toString() ?? ''
    if (peer === undefined || !isTrusted(peer)) return { address, isTls: isPublicTls }
    const forwarded = textOf(headers['x-forwarded-for'])
    const isTls = isPublicTls || textOf(headers['x-forwarded-proto']).trim().toLowerCase() === 'https'
    return { address: behind(address, forwarded), isTls }
  }
}

/** Longer entries are no addresses. */
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

/** Node joins repeated ones with a comma; its types do not say so. */
const textOf = (value: string | readonly string[] | undefined): string =>
  typeof value === 'string' ? value : (value?.join(',') ?? '')
