import { checkSettings } from '../../../core/skill/index.ts'
import { patterns } from '../patterns.ts'
import { entityTag } from '../if-match.ts'
import { admins, component, defineRoute, readers } from '../route.ts'
import { within } from '../validate.ts'
import { authenticateConnection } from './authenticate-connection.ts'
import { changeConnection, deleteConnection } from './change-connection.ts'
import { connectionManifest } from './connection-manifest.ts'
import { connectionQuery, connectionView, definitionOf, namedConnection } from './connection-view.ts'
import { pageSchema, wholeView } from './page.ts'
import { rotateToken } from './rotate-token.ts'

const listConnections = defineRoute({
  method: 'GET',
  path: '/connections',
  access: readers,
  summary: 'Lists connections; secrets are never shown.',
  status: 200,
  answer: pageSchema(component('connection')),
  async handle({ caller }, services) {
    const connections = await services.stores.connections.list(caller.scope)
    return { body: await wholeView(connections, (connection) => connectionView(connection, services)) }
  },
})

const getConnection = defineRoute({
  method: 'GET',
  path: '/connections/{connection}',
  access: readers,
  summary: 'One connection, without its secrets.',
  status: 200,
  answer: component('connection'),
  query: connectionQuery,
  async handle({ params, query, caller }, services) {
    const found = await namedConnection(caller.scope, params.connection, query.organization, services)
    return { body: await connectionView(found, services), headers: entityTag(found) }
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
        ...patterns.connectionName,
        description: 'The instance name, unique in the organization ignoring case.',
      },
      plugin: { type: 'string' },
      settings: { type: 'object', description: 'What an operator fills in, secrets included.' },
    },
  },
  async handle({ body, caller }, services) {
    const { stores, catalogue, directory } = services
    const organization = await directory.organization(
      caller.scope,
      body.organization_code,
      '/organization_code',
    )
    const definition = definitionOf(catalogue, body.plugin)
    const { settings, secrets } = within('/settings', () => checkSettings(definition, body.settings))
    const connection = { name: body.name, plugin: body.plugin, settings, secrets }
    const created = await stores.connections.create(organization.uuid, connection, caller.actor)
    return {
      body: await connectionView(created, services),
      location: `/connections/${created.uuid}`,
      headers: entityTag(created),
    }
  },
})

export const connectionRoutes = [
  listConnections,
  createConnection,
  connectionManifest,
  authenticateConnection,
  rotateToken,
  getConnection,
  changeConnection,
  deleteConnection,
]
