import { defineRoute } from '../../routing/route.ts'
import { RequestError } from '../../request/request-error.ts'
import { webhookPath } from '../../routing/webhook-path.ts'
import { unreachableFromOutside } from '../../../config/unreachable.ts'
import { connectionQuery, definitionOf, namedConnection } from './connection-view.ts'
import { admins } from '../../caller/caller.ts'

export const connectionManifest = defineRoute({
  method: 'GET',
  path: '/connections/{connection}/manifest',
  access: admins,
  summary:
    'The document that sets the other system up for a connection. It holds the token of the connection: a secret. Where its addresses cannot be ' +
    'reached from outside, the header `Tocsin-Warning` says why.',
  status: 200,
  answer: { description: 'What the plugin makes, e.g. the manifest of an app.' },
  query: connectionQuery,
  async handle({ params, query, caller }, services) {
    const { stores, catalogue, apiPrefix } = services
    const { organizationUuid, uuid, name, plugin } = await namedConnection(
      caller.scope,
      params.connection,
      query.organization,
      services,
    )
    const { manifest } = definitionOf(catalogue, plugin)
    if (manifest === undefined) {
      throw new RequestError('manifest_not_found', `The plugin '${plugin}' has no manifest.`, {
        hint: 'its README says how the other system is set up',
      })
    }
    const token = await stores.connections.eventsToken(organizationUuid, uuid)
    // Whoever has read it can send what comes from the other system, but for its signature.
    await stores.audit.record({
      action: 'connection.manifest_read',
      by: caller.actor,
      organizationUuid,
      subject: { kind: 'connection', id: uuid, name },
      details: { plugin },
    })
    const publicUrl = services.publicUrl()
    const base = `${publicUrl}/${apiPrefix}`
    const warning = unreachableFromOutside(publicUrl)
    return {
      ...(warning !== undefined && { headers: { 'tocsin-warning': warning } }),
      body: manifest({
        name,
        inboundUrl: (route) => `${base}${webhookPath(plugin, route)}?token=${token.reveal()}`,
      }),
    }
  },
})
