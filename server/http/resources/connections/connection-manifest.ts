import type { ManifestAbout } from '../../../../core/plugin/index.ts'
import { defineRoute } from '../../routing/route.ts'
import { RequestError } from '../../request/request-error.ts'
import { unreachableFromOutside } from '../../../config/unreachable.ts'
import { connectionQuery, connectionDefinition, namedConnection } from './connection-view.ts'

export const connectionManifest = defineRoute({
  method: 'GET',
  path: '/connections/{connection}/manifest',
  access: 'connections:write',
  summary:
    'The document for the set-up of the other system. It contains the token of the connection: keep it secret. If the addresses are unreachable for ' +
    'other systems, the header `Tocsin-Warning` says why.',
  answer: { description: 'In the format of the plugin, e.g. an app manifest.' },
  query: connectionQuery,
  async handle({ params, query, caller }, services) {
    const { stores, catalogue, apiPrefix } = services
    const { organizationUuid, uuid, name, plugin } = await namedConnection(
      caller.scope,
      params.connection,
      query.organization,
      services,
    )
    const { inbound, manifest = inbound && addressesOf(inbound) } = connectionDefinition(catalogue, plugin)
    if (manifest === undefined) {
      throw new RequestError('manifest_not_found', `The plugin '${plugin}' has no manifest.`, {
        hint: 'see its README for the set-up of the other system',
      })
    }
    const token = await stores.connections.eventsToken(organizationUuid, uuid)
    // The token allows sending as the other system, except for its signature.
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

/** The default manifest of a plugin. */
const addressesOf =
  (inbound: object) =>
  ({ inboundUrl }: ManifestAbout): unknown => ({
    webhooks: Object.fromEntries(Object.keys(inbound).map((route) => [route, inboundUrl(route)])),
  })

/** The webhook path of a plugin's connections, below the prefix. */
export function webhookPath(plugin: string, route: string): string {
  return `/webhooks/${plugin.replaceAll('_', '-')}/v1/${route}`
}
