import { ConnectionError } from '../errors/errors.ts'
import type { ConnectionStore, OpenConnection } from '../ports.ts'

export interface WantedConnection {
  readonly organizationUuid: string
  readonly plugin: string
  /** As the step names it; undefined: the organization's only enabled connection of the plugin. */
  readonly name: string | undefined
}

/** @throws ConnectionError `connection_missing`, `connection_disabled`, `connection_ambiguous` */
export async function findConnection(
  store: ConnectionStore,
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
        hint: offer(await names(store, wanted), plugin),
      },
    )
  }
  if (!open.connection.enabled) {
    throw new ConnectionError('connection_disabled', `connection '${open.connection.name}' is disabled`, {
      hint: 'enable it, or name another one in the step',
    })
  }
  return open
}

async function onlyName(store: ConnectionStore, wanted: WantedConnection): Promise<string> {
  const { plugin } = wanted
  const usable = await names(store, wanted)
  const [first, second] = usable
  if (first === undefined) {
    throw new ConnectionError('connection_missing', `there is no enabled connection of ${plugin}`, {
      hint: `create a connection of ${plugin}`,
    })
  }
  if (second !== undefined) {
    throw new ConnectionError('connection_ambiguous', `there are ${usable.length} connections of ${plugin}`, {
      hint: `name one in the step: ${usable.join(', ')}`,
    })
  }
  return first
}

/** Of the plugin's enabled connections. */
async function names(store: ConnectionStore, wanted: WantedConnection): Promise<readonly string[]> {
  const all = await store.list([wanted.organizationUuid])
  return all
    .filter(({ plugin, enabled }) => plugin === wanted.plugin && enabled)
    .map(({ name }) => name)
    .toSorted()
}

function offer(usable: readonly string[], plugin: string): string {
  return usable.length === 0
    ? `create a connection of ${plugin}`
    : `connections of ${plugin}: ${usable.join(', ')}`
}
