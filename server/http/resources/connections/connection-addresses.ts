import { ValidationError } from '../../../../core/errors/errors.ts'
import { Secret, type ConnectionDefinition } from '../../../../core/plugin/index.ts'

/** A connection with the values of all its secrets. */
export interface WithSecrets {
  readonly settings: Readonly<Record<string, unknown>>
  readonly secrets: Readonly<Record<string, Secret>>
}

/**
 * For a new address, every secret must be entered again: otherwise someone could send the secrets to
 * their own server. A different path is a new address, because one origin may serve many customers; a
 * path below the old address is not.
 *
 * @param fields the secret fields of the connection before
 * @param given the fields that were entered now
 */
export function requireSecretsForNewAddress(
  definition: ConnectionDefinition,
  before: WithSecrets,
  after: WithSecrets,
  fields: readonly string[],
  given: ReadonlySet<string>,
): void {
  const known = addressesOf(definition, before)
  const next = addressesOf(definition, after)
  const knownOthers = [...known.base, ...known.others]
  if (
    !hasNewWay(before, after) &&
    next.base.every((address) => known.base.some((one) => isAtOrBelow(address, one))) &&
    next.others.every((address) => knownOthers.some((one) => isAtOrBelow(address, one)))
  )
    return
  const missing = fields.filter((field) => !given.has(field))
  if (missing.length === 0) return
  const message = 'must be entered again, because the address of the connection or the way to it changes'
  const errors = missing.map((field) => ({ pointer: `/settings/${field}`, message }))
  throw new ValidationError('value_invalid', `the secrets ${missing.join(', ')} ${message}`, errors)
}

/** A new proxy with a new authority could read the secrets on their way. */
const hasNewWay = (before: WithSecrets, after: WithSecrets): boolean =>
  ['network_proxy', 'network_ca'].some((field) => {
    const value = after.settings[field]
    return value !== undefined && value !== before.settings[field]
  })

/**
 * The owner of a referenced secret must not choose where the stored secrets are sent: a reference may decide the
 * address only if all secrets are references.
 */
export function requireFixedAddress(
  definition: ConnectionDefinition,
  { settings, secrets }: WithSecrets,
  references: readonly string[],
): void {
  if (references.length === 0 || references.length === Object.keys(secrets).length) return
  const probe = references.map((field) => [field, new Secret('https://probe.invalid/probe')] as const)
  const other = addressesOf(definition, { settings, secrets: { ...secrets, ...Object.fromEntries(probe) } })
  if (JSON.stringify(other) === JSON.stringify(addressesOf(definition, { settings, secrets }))) return
  const message = 'decides the address of the connection, so it can be a reference only if all secrets are'
  const errors = references.map((field) => ({ pointer: `/settings/${field}`, message }))
  throw new ValidationError('value_invalid', `${references.join(', ')} ${message}`, errors)
}

/** Addresses that may receive credentials: everything below the base addresses. */
function addressesOf(definition: ConnectionDefinition, { settings, secrets }: WithSecrets) {
  const all: Readonly<Record<string, unknown>> = { ...settings, ...secrets }
  try {
    const sockets = Object.values(definition.sockets?.(all) ?? {}).map(
      ({ host, port }) => `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    )
    return {
      base: [definition, ...Object.values(definition.hosts ?? {})].map(({ baseUrl }) => baseUrl(all)),
      others: [...(definition.otherOrigins?.(all) ?? []), ...sockets],
    }
  } catch {
    // The plugin has changed and cannot read the stored settings, so the old address is unknown.
    return { base: [], others: [] }
  }
}

function isAtOrBelow(address: string, known: string): boolean {
  const [at, from] = [URL.parse(address), URL.parse(known)]
  if (at === null || from === null || encodedPath.test(at.pathname)) return address === known
  return at.origin === from.origin && pathOf(at).startsWith(pathOf(from))
}

/** Some gateways decode these before routing, or ignore text after `;`, so the real path may differ. */
const encodedPath = /;|%(2[5ef]|3b|5c)/i

const pathOf = ({ pathname }: URL): string => (pathname.endsWith('/') ? pathname : `${pathname}/`)
