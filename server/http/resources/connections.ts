import type { Connection } from '../../../core/domain/connection.ts'
import type { ConnectionDefinition } from '../../../core/plugin/index.ts'
import type { Catalogue } from '../../../core/registry/catalogue.ts'
import { checkSettings } from '../../../core/skill/index.ts'
import type { Directory } from '../directory.ts'
import { RequestError } from '../request-error.ts'
import { admins, component, defineRoute } from '../route.ts'
import { within } from '../validate.ts'
import { pageSchema, wholeView } from './page.ts'

async function connectionView(connection: Connection, directory: Directory) {
  return {
    connection_uuid: connection.uuid,
    organization_code: await directory.organizationCode(connection.organizationUuid),
    organization_uuid: connection.organizationUuid,
    name: connection.name,
    plugin: connection.plugin,
    settings: connection.settings,
    enabled: connection.enabled,
    created_at: connection.createdAt,
    modified_at: connection.modifiedAt,
  }
}

const listConnections = defineRoute({
  method: 'GET',
  path: '/connections',
  access: admins,
  summary: 'Lists connections; secrets are never shown.',
  status: 200,
  answer: pageSchema(component('connection')),
  async handle({ caller }, { stores, directory }) {
    const connections = await stores.connections.list(caller.scope)
    return { body: await wholeView(connections, (connection) => connectionView(connection, directory)) }
  },
})

const createConnection = defineRoute({
  method: 'POST',
  path: '/connections',
  access: admins,
  summary: 'Adds a connection. Its settings, secrets among them, fit the schema of its plugin (GET plugins).',
  status: 201,
  answer: component('connection'),
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['organization_code', 'name', 'plugin', 'settings'],
    properties: {
      organization_code: { type: 'string' },
      name: {
        type: 'string',
        pattern: '^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$',
        description: 'The instance name, unique in the organization ignoring case.',
      },
      plugin: { type: 'string' },
      settings: { type: 'object', description: 'What an operator fills in, secrets included.' },
    },
  },
  async handle({ body, caller }, { stores, catalogue, directory }) {
    const organization = await directory.organization(
      caller.scope,
      body.organization_code,
      '/organization_code',
    )
    const definition = definitionOf(catalogue, body.plugin)
    const { settings, secrets } = within('/settings', () => checkSettings(definition, body.settings))
    const connection = { name: body.name, plugin: body.plugin, settings, secrets }
    const created = await stores.connections.create(organization.uuid, connection)
    return { body: await connectionView(created, directory) }
  },
})

function definitionOf(catalogue: Catalogue, plugin: string): ConnectionDefinition {
  const definition = catalogue.connection(plugin)
  if (definition !== undefined) return definition
  const names = catalogue.plugins.filter(({ connection }) => connection !== undefined).map(({ name }) => name)
  const message = `no plugin '${plugin.slice(0, 64)}' takes connections`
  throw new RequestError('unknown_plugin', message, {
    hint: `use one of: ${names.slice(0, 50).join(', ')}`,
    errors: [{ pointer: '/plugin', message }],
  })
}

export const connectionRoutes = [listConnections, createConnection]
