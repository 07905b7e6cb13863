import { SkillError, TocsinError } from '../../core/plugin/index.ts'
import type { ApiClient } from '../api-client.ts'
import { connectionBody, connectionName } from './curl-lines.ts'
import type { StartedSandbox } from './start-sandboxes.ts'

export interface ConnectOptions {
  /** Code of the organization of the connections. */
  readonly organization: string
  /** Default: a name that no real connection has. */
  readonly nameOf?: (plugin: string) => string
}

/** Signs in as a person would who allows access: see `issueSignIns`. A restarted sandbox knows no earlier tokens. */
async function signInTo(api: ApiClient, { plugin, running }: StartedSandbox, path: string): Promise<void> {
  const started = await api.post<{ readonly authorize_url: string }>(path, {})
  const url = new URL(started.authorize_url)
  if (url.origin !== running.url)
    throw new SkillError(
      'sign_in_elsewhere',
      `the sign-in of ${plugin} leads to ${url.origin}, not to its sandbox`,
      {
        hint: 'make the origin of its authorization endpoint a setting of the connection',
      },
    )
  url.searchParams.set('consent', 'allow')
  // Loaded only here: other commands need not wait for it.
  const { loopbackEgress } = await import('../../core/plugin/testing/index.ts')
  const signal = AbortSignal.timeout(10_000)
  const agreed = { method: 'GET', url: url.href, headers: {}, body: undefined, signal }
  const { headers } = await loopbackEgress.send(agreed)
  const { searchParams } = new URL(headers['location'] ?? '', url)
  const known = ['state', 'code', 'iss', 'error', 'error_description'].flatMap((name) => {
    const value = searchParams.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  await api.post('/oauth/callback', { plugin, state: '', ...Object.fromEntries(known) })
}

/**
 * Creates or updates the connection of a sandbox on a server, signs in if needed, tests it, and gives the sandbox its webhook
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
  const { sign_in: signIn } = await api.get<{ readonly sign_in: object | null }>(`${path}${query}`)
  if (signIn !== null) await signInTo(api, sandbox, `${path}/sign-in${query}`)
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
