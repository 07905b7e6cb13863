import { ConnectionError } from '../../plugin/index.ts'
import { boundConnection, type BoundConnection } from '../../destructive/input-hash.ts'
import type { Catalogue, CatalogueSkill } from '../../registry/catalogue.ts'
import type { ConnectionStore, OpenConnection } from '../../ports/connection-store.ts'

/** The part of the connection store that skill calls use. */
export type ReadableConnections = Pick<ConnectionStore, 'list' | 'open'>

export interface WantedConnection {
  readonly organizationUuid: string
  readonly plugin: string
  /** The name in the step; undefined: the organization's only enabled connection of the plugin. */
  readonly name: string | undefined
}

/** @throws ConnectionError `connection_missing`, `connection_disabled`, `connection_ambiguous`, `connection_broken` */
export async function findConnection(
  store: ReadableConnections,
  wanted: WantedConnection,
): Promise<OpenConnection> {
  const { organizationUuid, plugin } = wanted
  const name = wanted.name ?? (await onlyName(store, wanted))
  const open = await store.open(organizationUuid, name)
  if (open === undefined || open.connection.plugin !== plugin) {
    const why = open === undefined ? 'there is no such connection' : `it belongs to ${open.connection.plugin}`
    throw new ConnectionError(
      'connection_missing',
      `connection '${name}' cannot be used for ${plugin}: ${why}`,
      {
        hint: offer(await names(store, wanted, true), plugin),
        details: { plugin, connection: name },
      },
    )
  }
  if (!open.connection.enabled) {
    throw connectionDisabled(plugin, [open.connection.name], 'enable it, or name another one in the step')
  }
  if (open.connection.broken !== null) {
    const { name: broken, broken: note } = open.connection
    throw new ConnectionError('connection_broken', `connection '${broken}' cannot be used: ${note.reason}`, {
      hint: 'fix it, then test the connection or enter its credentials again',
      details: { plugin, connection: broken },
    })
  }
  return open
}

/**
 * Finds out whether a call of a skill could use a connection, without opening it.
 *
 * @throws as `findConnection`
 */
export async function requireConnection(
  store: Pick<ConnectionStore, 'list'>,
  { plugin, skill }: CatalogueSkill,
  wanted: Omit<WantedConnection, 'plugin'>,
): Promise<void> {
  if (skill.connection === undefined) return
  if (skill.connectionIsOptional === true && wanted.name === undefined) return
  const open: ConnectionStore['open'] = async (organizationUuid, name) => {
    const all = await store.list([organizationUuid])
    const connection = all.find((each) => each.name.toLowerCase() === name.toLowerCase())
    return connection && { connection, secrets: {} }
  }
  await findConnection({ list: (scope) => store.list(scope), open }, { ...wanted, plugin: plugin.name })
}

/** The connection that a call of a skill would use, without opening it; undefined: none, or it cannot be determined. */
export function connectionsToBind(catalogue: Pick<Catalogue, 'skill'>, store: Pick<ConnectionStore, 'list'>) {
  return async (
    skillName: string,
    name: string | undefined,
    organizationUuid: string,
  ): Promise<BoundConnection | undefined> => {
    const found = catalogue.skill(skillName)
    if (found?.skill.connection === undefined) return undefined
    if (found.skill.connectionIsOptional === true && name === undefined) return undefined
    const all = (await store.list([organizationUuid])).filter(({ plugin }) => plugin === found.plugin.name)
    const [only, ...others] =
      name === undefined
        ? all.filter(({ enabled }) => enabled)
        : all.filter((each) => each.name.toLowerCase() === name.toLowerCase())
    return only === undefined || others.length > 0 ? undefined : boundConnection(only)
  }
}

async function onlyName(store: ReadableConnections, wanted: WantedConnection): Promise<string> {
  const { plugin } = wanted
  const usable = await names(store, wanted, true)
  const [first, second] = usable
  const disabled = first === undefined ? await names(store, wanted, false) : []
  if (disabled.length > 0) throw connectionDisabled(plugin, disabled, 'enable it, or create another one')
  if (first === undefined) {
    throw new ConnectionError('connection_missing', `there is no enabled connection of ${plugin}`, {
      hint: `create a connection of ${plugin}`,
      details: { plugin },
    })
  }
  if (second !== undefined) {
    throw new ConnectionError('connection_ambiguous', `there are ${usable.length} connections of ${plugin}`, {
      hint: `name one in the step: ${usable.join(', ')}`,
      details: { plugin },
    })
  }
  return first
}

function connectionDisabled(plugin: string, names: readonly string[], hint: string): ConnectionError {
  const [first = ''] = names
  const message =
    names.length === 1
      ? `connection '${first}' is disabled`
      : `the connections ${names.join(', ')} are disabled`
  const details = { plugin, ...(names.length === 1 && { connection: first }) }
  return new ConnectionError('connection_disabled', message, { hint, details })
}

/** Names of the plugin's enabled or disabled connections. */
async function names(
  store: ReadableConnections,
  wanted: WantedConnection,
  areEnabled: boolean,
): Promise<readonly string[]> {
  const all = await store.list([wanted.organizationUuid])
  return all
    .filter(({ plugin, enabled }) => plugin === wanted.plugin && enabled === areEnabled)
    .map(({ name }) => name)
    .toSorted()
}

function offer(usable: readonly string[], plugin: string): string {
  return usable.length === 0
    ? `create a connection of ${plugin}`
    : `connections of ${plugin}: ${usable.join(', ')}`
}
