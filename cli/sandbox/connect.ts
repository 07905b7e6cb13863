import { TocsinError } from '../../core/plugin/index.ts'
import type { ApiClient } from '../api-client.ts'
import { connectionBody, connectionName } from './curl-lines.ts'
import type { StartedSandbox } from './start-sandboxes.ts'

export interface ConnectOptions {
  /** Code of the organization of the connections. */
  readonly organization: string
  /** Default: a name that no real connection has. */
  readonly nameOf?: (plugin: string) => string
}

/**
 * Creates or updates the connection of a sandbox on a server, tests it, and gives the sandbox its webhook
 * addresses on the server.
 *
 * @returns a summary
 * @throws TocsinError of the server
 */
export async function connect(
  api: ApiClient,
  sandbox: StartedSandbox,
  { organization, nameOf = connectionName }: ConnectOptions,
): Promise<string> {
  const { plugin, running } = sandbox
  const name = nameOf(plugin)
  const path = `/connections/${encodeURIComponent(name)}`
  const query = `?organization=${encodeURIComponent(organization)}`
  const isNew = await make()
  await api.post(`${path}/authenticate${query}`, {})
  const done = isNew ? 'made' : 'changed'
  if (running.install === undefined) return `${name}  ${done}, its credentials work`
  await running.install(await api.get<unknown>(`${path}/manifest${query}`))
  return `${name}  ${done}, its credentials work, and answers are sent to the server`

  async function make(): Promise<boolean> {
    try {
      await api.post('/connections', { ...connectionBody(sandbox, organization), name })
      return true
    } catch (error) {
      if (!(error instanceof TocsinError) || !error.code.endsWith('_exists')) throw error
      await api.patch(`${path}${query}`, { settings: running.settings, enabled: true })
      return false
    }
  }
}
