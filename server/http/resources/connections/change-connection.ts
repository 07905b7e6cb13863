import type { Connection } from '../../../../core/domain/connection.ts'
import { ConflictError } from '../../../../core/errors/errors.ts'
import { ConnectionError, type Secret } from '../../../../core/plugin/index.ts'
import type { ConnectionChanges, StoredConnection } from '../../../../core/ports/connection-store.ts'
import type { Catalogue } from '../../../../core/registry/catalogue.ts'
import {
  parseReference,
  separateReferences,
  type EnteredFields,
  type SecretReference,
} from '../../../../core/skill/connection/secret-reference.ts'
import { clientOf } from '../../../../core/skill/connection/usable-settings.ts'
import { editIfSeen, editSeen, entityTag, ifMatchHeader } from '../../request/if-match.ts'
import { component, defineRoute, type Services } from '../../routing/route.ts'
import { within } from '../../request/validate.ts'
import { requireSecretsForNewAddress } from './connection-addresses.ts'
import { checkEntered, readReferences, readReferencesIfPossible } from './entered-secrets.ts'
import { connectionQuery, connectionView, connectionDefinition, namedConnection } from './connection-view.ts'

export const changeConnection = defineRoute({
  method: 'PATCH',
  path: '/connections/{connection}',
  access: 'connections:write',
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
          'Only the fields to change; null removes an optional one. A secret is a text, or `{"reference": "…"}`. A new address requires all secrets again.',
      },
      enabled: { type: 'boolean', description: 'Steps do not use a disabled connection.' },
    },
  },
  async handle({ params, query, body, headers, caller }, services) {
    const { stores, catalogue } = services
    const { enabled, settings } = body
    const found = await namedConnection(caller.scope, params.connection, query.organization, services)
    const { organizationUuid, uuid } = found
    const entered = settings && (await readEntered(found, settings, services))
    // Applied to the stored state at that time, so that concurrent changes of different fields are both kept.
    const changes = (stored: StoredConnection): ConnectionChanges => ({
      enabled,
      ...(entered !== undefined && newValues(catalogue, stored, entered)),
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
  access: 'connections:write',
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

/** Changed fields, with the values of references before and after. */
interface Entered extends EnteredFields {
  /** By the text of the reference. */
  readonly known: ReadonlyMap<string, Secret>
}

async function readEntered(
  found: Connection,
  settings: Readonly<Record<string, unknown>>,
  services: Pick<Services, 'catalogue' | 'secrets' | 'closing'>,
): Promise<Entered> {
  const definition = connectionDefinition(services.catalogue, found.plugin)
  const entered = within('/settings', () => separateReferences(definition, settings))
  const before = Object.entries(parsedReferences(found))
  const isReplaced = ([field]: readonly [string, SecretReference]) => Object.hasOwn(settings, field)
  const kept = Object.fromEntries(before.filter((one) => !isReplaced(one)))
  const after = { ...kept, ...entered.references }
  const replaced = Object.fromEntries(before.filter(isReplaced))
  const [now, then] = await Promise.all([
    within('/settings', () => readReferences(found.organizationUuid, after, services)),
    readReferencesIfPossible(found.organizationUuid, replaced, services),
  ])
  const known = (
    references: Readonly<Record<string, SecretReference>>,
    values: Readonly<Record<string, Secret>>,
  ) => Object.entries(values).map(([field, value]) => [references[field]!.text, value] as const)
  return { ...entered, known: new Map([...known(replaced, then), ...known(after, now)]) }
}

/** References that a later version cannot parse count as unknown. */
function parsedReferences({ secretReferences }: Connection): Readonly<Record<string, SecretReference>> {
  const parsed = Object.entries(secretReferences).map(([field, text]) => [field, parseReference(text)])
  return Object.fromEntries(parsed.filter(([, reference]) => reference !== undefined)) as Record<
    string,
    SecretReference
  >
}

/**
 * If stored secrets cannot be decrypted, e.g. after the loss of the master key, all must be entered again.
 */
function openedSecrets({ secrets }: StoredConnection): Readonly<Record<string, Secret>> {
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
  { values, references, known }: Entered,
): ConnectionChanges {
  const { name, plugin, settings, secretReferences } = found.connection
  const definition = connectionDefinition(catalogue, plugin)
  const stored = openedSecrets(found)
  const given = new Set([...Object.keys(values), ...Object.keys(references)])
  const kept = Object.entries(secretReferences).filter(([field]) => !given.has(field))
  const entered = Object.entries(references).map(([field, { text }]) => [field, text] as const)
  const after = Object.fromEntries([...kept, ...entered])
  const texts = Object.entries(stored).map(([field, secret]) => [field, secret.reveal()])
  const merged = Object.entries({ ...settings, ...Object.fromEntries(texts), ...values }).filter(
    ([field, value]) => value !== null && !Object.hasOwn(after, field),
  )
  const read = Object.entries(after).map(([field, text]) => [field, valueOf(known, text)] as const)
  const checked = within('/settings', () =>
    checkEntered(definition, name, Object.fromEntries(merged), after, Object.fromEntries(read)),
  )
  const before = Object.entries(secretReferences).flatMap(([field, text]) => {
    const value = known.get(text)
    return value === undefined ? [] : [[field, value] as const]
  })
  requireSecretsForNewAddress(
    definition,
    { settings, secrets: { ...stored, ...Object.fromEntries(before) } },
    { settings: checked.settings, secrets: checked.all },
    [...Object.keys(stored), ...Object.keys(secretReferences)],
    given,
  )
  const was = { ...settings, ...stored, ...Object.fromEntries(before) }
  const isOther =
    clientOf(definition, name, was) !== clientOf(definition, name, { ...checked.settings, ...checked.all })
  return {
    settings: checked.settings,
    discardSignIn: isOther,
    ...(isSame(stored, checked.secrets) ? {} : { secrets: checked.secrets }),
    ...(isEqual(secretReferences, after) ? {} : { secretReferences: after }),
  }
}

/** Someone else may have changed the references since they were read. */
function valueOf(known: ReadonlyMap<string, Secret>, text: string): Secret {
  const value = known.get(text)
  if (value !== undefined) return value
  throw new ConflictError('revision_changed', 'the references of the connection have changed')
}

const isEqual = (
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): boolean =>
  Object.keys(before).length === Object.keys(after).length &&
  Object.entries(after).every(([field, text]) => before[field] === text)

/** Unchanged secrets keep their age. */
function isSame(before: Readonly<Record<string, Secret>>, after: Readonly<Record<string, Secret>>): boolean {
  const names = Object.keys(after)
  return (
    names.length === Object.keys(before).length &&
    names.every((name) => before[name]?.reveal() === after[name]?.reveal())
  )
}
