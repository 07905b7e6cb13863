import { entityTag } from '../../request/if-match.ts'
import { component, defineRoute } from '../../routing/route.ts'
import { connectionQuery, connectionView, namedConnection } from './connection-view.ts'
import { admins } from '../../caller/caller.ts'

export const rotateToken = defineRoute({
  method: 'POST',
  path: '/connections/{connection}/rotate-token',
  once: true,
  access: admins,
  summary:
    'Gives the addresses of a connection another token, at once: what the other system sends to the old ones is refused until it is set up anew.',
  status: 200,
  answer: component('connection'),
  query: connectionQuery,
  async handle({ params, query, caller }, services) {
    const found = await namedConnection(caller.scope, params.connection, query.organization, services)
    const { organizationUuid, uuid } = found
    const rotated = await services.stores.connections.rotateEventsToken(organizationUuid, uuid, caller.actor)
    return { body: await connectionView(rotated, services), headers: entityTag(rotated) }
  },
})
