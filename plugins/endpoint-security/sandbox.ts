import { serveSandbox } from 'tocsin/plugin/testing'
import { clients, resource, tenantId, type Client } from './sandbox/data/clients.ts'
import { behaviour } from './sandbox/routes.ts'

/** Connection settings of one of the sandbox's applications. */
export const settingsFor = (url: string, client: Client) => ({
  tenant_id: tenantId,
  client_id: client.id,
  client_secret: client.secret,
  login_url: `${url}/login`,
  endpoint_api_url: url,
  api_resource_url: resource,
})

/**
 * An emulator of the platform and its identity provider; its data is in `sandbox/`, `examples/` and
 * `fixtures/`.
 */
export default serveSandbox(behaviour, (url) => settingsFor(url, clients.full))
