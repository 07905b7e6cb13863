import type { Connection } from '../../../core/domain/connection.ts'
import { ValidationError } from '../../../core/errors/errors.ts'
import { ConnectionError, type ConnectionDefinition } from '../../../core/plugin/index.ts'
import type { ConnectionChanges, ConnectionStore, OpenConnection } from '../../../core/ports.ts'
import { usableSettings } from '../../../core/skill/index.ts'
import { editIfSeen, editSeen, entityTag, ifMatchHeader } from '../if-match.ts'
import { admins, component, defineRoute } from '../route.ts'
import { within } from '../validate.ts'
import { connectionQuery, connectionView, definitionOf, namedConnection } from './connection-view.ts'

export const changeConnection = defineRoute({
  method: 'PATCH',
  path: '/connections/{connection}',
  access: admins,
  summary: 'Changes a connection: fields of its settings, secrets among them, and whether it is enabled.',
  headers: ifMatchHeader,
  status: 200,
  answer: component('connection'),
  query: connectionQuery,
  body: {
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    properties: {
      settings: {
        type: 'object',
        description:
          'Only the fields that change; null takes an optional one away. A new address needs the secrets again.',
      },
      enabled: { type: 'boolean', description: 'A disabled connection is used by no step.' },
    },
  },
  async handle({ params, query, body, headers, caller }, services) {
    const { stores, catalogue } = services
    const found = await namedConnection(caller.scope, params.connection, query.organization, services)
    const { organizationUuid, uuid, plugin, settings } = found
    let changes: ConnectionChanges = { enabled: body.enabled }
    if (body.settings !== undefined) {
      const stored = { settings, secrets: await storedSecrets(stores.connections, found) }
      changes = {
        ...changes,
        ...newValues(definitionOf(catalogue, plugin), found.name, stored, body.settings),
      }
    }
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
  summary: 'Deletes a connection with its secrets, and answers it as it was.',
  headers: ifMatchHeader,
  status: 200,
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

/** Secrets that cannot be opened any more, e.g. after the loss of a master key, are entered anew: all of them. */
async function storedSecrets(
  connections: ConnectionStore,
  { organizationUuid, name }: Connection,
): Promise<Stored['secrets']> {
  try {
    return (await connections.open(organizationUuid, name))?.secrets ?? {}
  } catch (error) {
    if (error instanceof ConnectionError && error.code === 'secret_unreadable') return {}
    throw error
  }
}

/** Throws ValidationError `value_invalid`. */
function newValues(
  definition: ConnectionDefinition,
  name: string,
  stored: Stored,
  given: Readonly<Record<string, unknown>>,
): ConnectionChanges {
  const secrets = Object.entries(stored.secrets).map(([field, secret]) => [field, secret.reveal()])
  const merged = Object.entries({ ...stored.settings, ...Object.fromEntries(secrets), ...given })
  const values = within('/settings', () =>
    usableSettings(definition, name, Object.fromEntries(merged.filter(([, value]) => value !== null))),
  )
  requireSecretsForNewOrigin(definition, stored, values, given)
  return {
    settings: values.settings,
    ...(isSame(stored.secrets, values.secrets) ? {} : { secrets: values.secrets }),
  }
}

/** What was not entered anew is as old as it was. */
function isSame(before: Stored['secrets'], after: Stored['secrets']): boolean {
  const names = Object.keys(after)
  return (
    names.length === Object.keys(before).length &&
    names.every((name) => before[name]?.reveal() === after[name]?.reveal())
  )
}

/**
 * Secrets are written and never read: who could send them to an address of their own could read them there. With a new origin,
 * every stored secret is to be given again.
 */
function requireSecretsForNewOrigin(
  definition: ConnectionDefinition,
  before: Stored,
  after: Stored,
  given: Readonly<Record<string, unknown>>,
): void {
  const known = originsOf(definition, before)
  if (originsOf(definition, after).every((origin) => known.includes(origin))) return
  const missing = Object.keys(before.secrets).filter((field) => !Object.hasOwn(given, field))
  if (missing.length === 0) return
  const message = 'must be given again, since the address of the connection changes'
  const errors = missing.map((field) => ({ pointer: `/settings/${field}`, message }))
  throw new ValidationError('value_invalid', `the secrets ${missing.join(', ')} ${message}`, errors)
}

/** Wherever a call of this connection may go. */
function originsOf(definition: ConnectionDefinition, { settings, secrets }: Stored): readonly string[] {
  const all: Readonly<Record<string, unknown>> = { ...settings, ...secrets }
  try {
    const addresses = [definition.baseUrl(all), ...(definition.otherOrigins?.(all) ?? [])]
    return addresses.map((address) => URL.parse(address)?.origin ?? address)
  } catch {
    // The plugin has changed and cannot read what was stored for it: nothing is known of where it led.
    return []
  }
}
