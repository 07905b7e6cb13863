import { nearest } from '../../core/schema/index.ts'
import { isLoopback } from './loopback.ts'

export interface ConfigWarning {
  readonly message: string
  readonly hint: string
}

/**
 * Warns if API keys, sessions and webhook tokens would cross a network without TLS, which Tocsin leaves to a
 * proxy.
 *
 * @param host that the server listens on
 */
export function clearTextWarnings(host: string, publicUrl: string | undefined): readonly ConfigWarning[] {
  const address = publicUrl === undefined ? undefined : new URL(publicUrl)
  if (address?.protocol === 'https:') return []
  const isOutside = address !== undefined && !isLoopback(address.hostname)
  if (!isOutside && isLoopback(host)) return []
  const where = isOutside
    ? `TOCSIN_PUBLIC_URL is ${address.origin}`
    : `TOCSIN_HOST is ${host}, which is reachable from the network, and TOCSIN_PUBLIC_URL is not an https address`
  return [
    {
      message: `${where}: API keys, sessions and webhook tokens cross the network in clear text`,
      hint: 'put a TLS proxy in front, and set TOCSIN_PUBLIC_URL to its https address (docs/operations.md, TLS behind a proxy)',
    },
  ]
}

/** Of commands that ask a running server. */
const commandVariables = ['TOCSIN_KEY', 'TOCSIN_URL']

/** Warnings about variables of Tocsin that do not exist. */
export function unknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  ofServer: readonly string[],
): readonly ConfigWarning[] {
  const known = [...ofServer, ...commandVariables]
  const unknown = Object.keys(env).filter((name) => name.startsWith('TOCSIN_') && !known.includes(name))
  return unknown.toSorted().map((name) => {
    const meant = nearest(name, known)
    const message = `unknown variable ${name}${meant === undefined ? '' : `; did you mean ${meant}?`}`
    return { message, hint: 'correct the name, or remove the variable' }
  })
}
