import type { Connection } from '../../../../core/domain/connection.ts'
import { textAt } from '../../../../core/plugin/index.ts'
import { separateReferences } from '../../../../core/skill/connection/secret-reference.ts'
import { pageOfRows, type RowOrder } from '../../routing/page-rows.ts'
import { patterns } from '../../request/patterns.ts'
import { entityTag } from '../../request/if-match.ts'
import { component, defineRoute, type Services } from '../../routing/route.ts'
import { within } from '../../request/validate.ts'
import { authenticateConnection } from './authenticate-connection.ts'
import { checkEntered, readReferences } from './entered-secrets.ts'
import { changeConnection, deleteConnection } from './change-connection.ts'
import { signInRoutes } from './sign-in.ts'
import { connectionManifest } from './connection-manifest.ts'
import {
  connectionQuery,
  connectionView,
  connectionDefinition,
  namedConnection,
  neededSignIn,
} from './connection-view.ts'
import { takeUpRefused } from '../playbooks/edit-playbook.ts'
import { flag, pageParameters, pageSchema, pageView, sortParameter } from '../system/page.ts'

const order: RowOrder<Connection> = {
  name: 'connections',
  sorts: {
    name: ({ name }) => name.toLowerCase(),
    created_at: ({ createdAt }) => createdAt,
    modified_at: ({ modifiedAt }) => modifiedAt,
  },
  key: ({ uuid }) => uuid,
}

const listConnections = defineRoute({
  method: 'GET',
  path: '/connections',
  view: 'connections.viewed',
  access: 'connections:read',
  summary: 'Lists connections without their secrets.',
  answer: pageSchema(component('connection')),
  query: {
    ...pageParameters,
    organization: { type: 'string', description: 'Code of an organization.' },
    plugin: { type: 'string', description: 'Name of a plugin.' },
    enabled: flag,
    broken: {
      ...flag,
      description: 'Whether it is known to be unusable, needs a sign-in, or failed its last use or test.',
    },
    sort: sortParameter(['name', 'created_at', 'modified_at']),
  },
  async handle({ query, caller }, services) {
    const scope = await services.directory.scopeWithin(caller.scope, query.organization)
    const found = (await services.stores.connections.list(scope)).filter(
      (connection) =>
        (query.plugin === undefined || connection.plugin === query.plugin) &&
        (query.enabled === undefined || String(connection.enabled) === query.enabled) &&
        (query.broken === undefined || String(isBroken(connection, services)) === query.broken),
    )
    const page = pageOfRows(found, query, order)
    return { body: await pageView(page, (connection) => connectionView(connection, services)) }
  },
})

const getConnection = defineRoute({
  method: 'GET',
  path: '/connections/{connection}',
  view: 'connections.viewed',
  access: 'connections:read',
  summary: 'Returns a connection without its secrets.',
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
  access: 'connections:write',
  summary: 'Creates a connection. Its settings and secrets follow the schema of the plugin (GET plugins).',
  status: 201,
  answer: component('connection'),
  recall: {
    keeps: (created) => textAt(created, 'uuid'),
    answer: async (uuid, { caller }, services) =>
      made(await namedConnection(caller.scope, String(uuid), undefined, services), services),
  },
  body: {
    required: ['organization_code', 'name', 'plugin', 'settings'],
    properties: {
      organization_code: { type: 'string' },
      name: {
        type: 'string',
        ...patterns.connectionName,
        description: 'Name of the connection, unique in the organization ignoring case.',
      },
      plugin: { type: 'string' },
      settings: {
        type: 'object',
        description:
          'Settings, including secrets. A secret is a text, or `{"reference": "…"}`: `env:NAME`, `file:path` or `vault:path#key`.',
      },
    },
  },
  async handle({ body, caller }, services) {
    const { stores, catalogue, directory } = services
    const organization = await directory.organization(
      caller.scope,
      body.organization_code,
      '/organization_code',
    )
    const definition = connectionDefinition(catalogue, body.plugin)
    const given = within('/settings', () => separateReferences(definition, body.settings))
    const read = await within('/settings', () =>
      readReferences(organization.uuid, given.references, services),
    )
    const { settings, secrets } = within('/settings', () =>
      checkEntered(definition, body.name, given.values, given.references, read),
    )
    const texts = Object.entries(given.references).map(([field, { text }]) => [field, text] as const)
    const connection = {
      name: body.name,
      plugin: body.plugin,
      settings,
      secrets,
      ...(texts.length > 0 && { secretReferences: Object.fromEntries(texts) }),
    }
    const created = await stores.connections.create(organization.uuid, connection, caller.actor)
    await takeUpRefused(services)
    return made(created, services)
  },
})

const isBroken = (connection: Connection, services: Services): boolean =>
  connection.broken !== null ||
  connection.lastFailure !== null ||
  neededSignIn(connection, services) !== undefined

async function made(connection: Connection, services: Services) {
  return {
    body: await connectionView(connection, services),
    location: `/connections/${connection.uuid}`,
    headers: entityTag(connection),
  }
}

const rotateToken = defineRoute({
  method: 'POST',
  path: '/connections/{connection}/rotate-token',
  once: true,
  access: 'connections:write',
  summary:
    'Replaces the webhook token of a connection: the old addresses stop working at once, until you update the other system.',
  answer: component('connection'),
  query: connectionQuery,
  async handle({ params, query, caller }, services) {
    const found = await namedConnection(caller.scope, params.connection, query.organization, services)
    const { organizationUuid, uuid } = found
    const rotated = await services.stores.connections.rotateEventsToken(organizationUuid, uuid, caller.actor)
    return { body: await connectionView(rotated, services), headers: entityTag(rotated) }
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
  ...signInRoutes,
]
