import { checkSettings } from '../../../core/skill/index.ts'
import { patterns } from '../patterns.ts'
import { admins, component, defineRoute } from '../route.ts'
import { within } from '../validate.ts'
import { authenticateConnection } from './authenticate-connection.ts'
import { changeConnection, deleteConnection } from './change-connection.ts'
import { connectionView, definitionOf } from './connection-view.ts'
import { pageSchema, wholeView } from './page.ts'

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
        pattern: patterns.connectionName.pattern,
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

export const connectionRoutes = [
  listConnections,
  createConnection,
  authenticateConnection,
  changeConnection,
  deleteConnection,
]
