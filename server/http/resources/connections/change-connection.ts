import { ValidationError } from '../../../../core/errors/errors.ts'
import { ConnectionError, type ConnectionDefinition } from '../../../../core/plugin/index.ts'
import type {
  ConnectionChanges,
  OpenConnection,
  StoredConnection,
} from '../../../../core/ports/connection-store.ts'
import type { Catalogue } from '../../../../core/registry/catalogue.ts'
import { usableSettings } from '../../../../core/skill/connection/usable-settings.ts'
import { editIfSeen, editSeen, entityTag, ifMatchHeader } from '../../request/if-match.ts'
import { component, defineRoute } from '../../routing/route.ts'
import { within } from '../../request/validate.ts'
import { connectionQuery, connectionView, connectionDefinition, namedConnection } from './connection-view.ts'
import { admins } from '../../caller/caller.ts'

export const changeConnection = defineRoute({
  method: 'PATCH',
  path: '/connections/{connection}',
  access: admins,
  summary: 'Changes settings of a connection, including secrets, and whether it is enabled.',
  headers: ifMatchHeader,
  answer: component('connection'),
  query: connectionQuery,
  body: {
    minProperties: 1,
    properties: {
      settings: {
        type: 'object',
        description:
          'Only the fields to change; null removes an optional one. A new address requires all secrets again.',
      },
      enabled: { type: 'boolean', description: 'Steps do not use a disabled connection.' },
    },
  },
  async handle({ params, query, body, headers, caller }, services) {
    const { stores, catalogue } = services
    const { enabled, settings } = body
    const { organizationUuid, uuid } = await namedConnection(
      caller.scope,
      params.connection,
      query.organization,
      services,
    )
    // Applied to the stored state at that time, so that concurrent changes of different fields are both kept.
    const changes = (stored: StoredConnection): ConnectionChanges => ({
      enabled,
      ...(settings !== undefined && newValues(catalogue, stored, settings)),
    })
    const changed = await editSeen(headers, (revision) =>
      stores.connections.update(organizationUuid, uuid, changes, revision, caller.actor),
    )
    return { body: await connectionView(changed, services), headers: entityTag(changed) }
  },
})

export const deleteConnection = defineRoute({
  method: 'DELETE',
  path: '/connections/{connection}',
  access: admins,
  summary: 'Deletes a connection with its secrets, and returns its last state.',
  headers: ifMatchHeader,
  answer: component('connection'),
  query: connectionQuery,
  async handle({ params, query, headers, caller }, services) {
    const found = await namedConnection(caller.scope, params.connection, query.organization, services)
    await editIfSeen(headers, (revision) =>
      services.stores.connections.remove(found.organizationUuid, found.uuid, revision, caller.actor),
    )
    return { body: await connectionView(found, services) }
  },
})

type Stored = Pick<OpenConnection, 'secrets'> & { readonly settings: Readonly<Record<string, unknown>> }

/**
 * If stored secrets cannot be decrypted, e.g. after the loss of the master key, all must be entered again.
 */
function openedSecrets({ secrets }: StoredConnection): Stored['secrets'] {
  try {
    return secrets()
  } catch (error) {
    if (error instanceof ConnectionError && error.code === 'secret_unreadable') return {}
    throw error
  }
}

/** Throws ValidationError `value_invalid`. */
function newValues(
  catalogue: Catalogue,
  found: StoredConnection,
  given: Readonly<Record<string, unknown>>,
): ConnectionChanges {
  const { name, plugin, settings } = found.connection
  const definition = connectionDefinition(catalogue, plugin)
  const stored: Stored = { settings, secrets: openedSecrets(found) }
  const secrets = Object.entries(stored.secrets).map(([field, secret]) => [field, secret.reveal()])
  const merged = Object.entries({ ...settings, ...Object.fromEntries(secrets), ...given })
  const values = within('/settings', () =>
    usableSettings(definition, name, Object.fromEntries(merged.filter(([, value]) => value !== null))),
  )
  requireSecretsForNewAddress(definition, stored, values, given)
  return {
    settings: values.settings,
    ...(isSame(stored.secrets, values.secrets) ? {} : { secrets: values.secrets }),
  }
}

/** Unchanged secrets keep their age. */
function isSame(before: Stored['secrets'], after: Stored['secrets']): boolean {
  const names = Object.keys(after)
  return (
    names.length === Object.keys(before).length &&
    names.every((name) => before[name]?.reveal() === after[name]?.reveal())
  )
}

/**
 * Otherwise someone could read the secrets by sending them to an address of their own. For a new address,
 * every stored secret must be entered again. Another path counts as another address, since one origin may
 * serve many customers; a path below the old one does not.
 */
function requireSecretsForNewAddress(
  definition: ConnectionDefinition,
  before: Stored,
  after: Stored,
  given: Readonly<Record<string, unknown>>,
): void {
  const known = addressesOf(definition, before)
  const next = addressesOf(definition, after)
  const knownOthers = [...known.base, ...known.others]
  if (
    next.base.every((address) => known.base.some((one) => isAtOrBelow(address, one))) &&
    next.others.every((address) => knownOthers.some((one) => isAtOrBelow(address, one)))
  )
    return
  const missing = Object.keys(before.secrets).filter((field) => !Object.hasOwn(given, field))
  if (missing.length === 0) return
  const message = 'must be entered again, because the address of the connection changes'
  const errors = missing.map((field) => ({ pointer: `/settings/${field}`, message }))
  throw new ValidationError('value_invalid', `the secrets ${missing.join(', ')} ${message}`, errors)
}

/** Addresses that may receive credentials: everything below the base addresses. */
function addressesOf(definition: ConnectionDefinition, { settings, secrets }: Stored) {
  const all: Readonly<Record<string, unknown>> = { ...settings, ...secrets }
  try {
    return { base: [definition.baseUrl(all)], others: definition.otherOrigins?.(all) ?? [] }
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
