import { isLoopback } from './loopback.ts'

export interface ConfigWarning {
  readonly message: string
  readonly hint: string
}

/**
 * Warns where API keys, sessions and the tokens of webhooks would cross a network without TLS, which Tocsin leaves to a proxy.
 *
 * @param host that it listens on
 */
export function clearTextWarnings(host: string, publicUrl: string | undefined): readonly ConfigWarning[] {
  const address = publicUrl === undefined ? undefined : new URL(publicUrl)
  if (address?.protocol === 'https:') return []
  const isOutside = address !== undefined && !isLoopback(address.hostname)
  if (!isOutside && isLoopback(host)) return []
  const where = isOutside
    ? `TOCSIN_PUBLIC_URL is ${address.origin}`
    : `TOCSIN_HOST is ${host}, which others reach, and TOCSIN_PUBLIC_URL names no https address`
  return [
    {
      message: `${where}: API keys, sessions and tokens of webhooks cross the network in the clear`,
      hint: 'put a proxy that ends TLS in front, and give its https address in TOCSIN_PUBLIC_URL (docs/operations.md, TLS behind a proxy)',
    },
  ]
}
