import { cp, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig, type Config } from '../../server/config/config.ts'
import { startTocsin, type Tocsin } from '../../server/main.ts'
import { apiClient, type ApiClient } from '../api-client.ts'
import { connect } from '../sandbox/connect.ts'
import { closeSandboxes, startSandboxes, type StartedSandbox } from '../sandbox/start-sandboxes.ts'
import { othersPlaybooks, type DemoOrganization, type SampleAlert } from './sample-alerts.ts'

/** The organization of the demo alerts. */
export const demoOrganization = { code: 'demo', name: 'Demo organization' }

/** Uses the same playbooks with other vendors. */
const secondOrganization = { code: 'second', name: 'Second organization' }

/** The emulated systems of each organization, by plugin. */
const vendors = {
  demo: ['endpoint_security', 'intel_provider', 'messaging', 'threat_platform', 'travel'],
  second: ['crowdstrike', 'exchange_online', 'jira', 'messaging', 'okta', 'virustotal'],
} as const satisfies Readonly<Record<DemoOrganization, readonly string[]>>
export type DemoPlugin = (typeof vendors)[DemoOrganization][number]

const shippedPlaybooks = join(import.meta.dirname, '../../playbooks')
const ownPlaybooks = join(import.meta.dirname, 'playbooks')

/** A temporary server with the sandboxes of its plugins. */
export interface RunningDemo {
  readonly tocsin: Tocsin
  readonly key: string
  readonly api: ApiClient
  /** Of the demo organization. */
  readonly sandboxes: readonly StartedSandbox[]
  /** Default: of the demo organization. */
  sandbox(plugin: DemoPlugin, organization?: DemoOrganization): StartedSandbox
  close(): Promise<void>
}

export interface DemoOptions {
  /** Receives events that a person in the other systems would see. */
  readonly onNews: (plugin: string, news: string) => void
  readonly onAnswer: NonNullable<Parameters<typeof startSandboxes>[0]['onAnswer']>
}

/**
 * Starts the sandboxes and the server, and creates the organizations, providers and connections. Closes
 * everything on failure, so that the process can end.
 */
export async function prepareDemo(
  folder: string,
  samples: readonly SampleAlert[],
  options: DemoOptions,
): Promise<RunningDemo> {
  const { pluginsDir } = readConfig({})
  const sandboxes = await startSandboxes({ pluginsDir, plugins: vendors.demo, ...options })
  const others: StartedSandbox[] = []
  let tocsin: Tocsin | undefined
  const close = async () => {
    await tocsin?.close()
    await closeSandboxes([...sandboxes, ...others])
  }
  try {
    others.push(...(await startSandboxes({ pluginsDir, plugins: vendors.second })))
    const all = [...sandboxes, ...others]
    tocsin = await startTocsin(demoConfig(folder, await playbooksIn(folder), all))
    const key = tocsin.adminKey
    if (key === undefined) throw new Error(`the folder ${folder} is not empty`)
    const api = apiClient(tocsin.apiUrl, key)
    for (const organization of [demoOrganization, secondOrganization])
      await api.post('/organizations', organization)
    await addMissingProviders(samples, api)
    const connectAll = async (to: readonly StartedSandbox[], organization: string) => {
      await Promise.all(to.map((one) => connect(api, one, { organization, nameOf: connectionName })))
    }
    await Promise.all([
      connectAll(sandboxes, demoOrganization.code),
      connectAll(others, secondOrganization.code),
    ])
    const sandbox = (plugin: DemoPlugin, organization: DemoOrganization = 'demo') =>
      (organization === 'demo' ? sandboxes : others).find((one) => one.plugin === plugin)!
    return { tocsin, key, api, sandboxes, sandbox, close }
  } catch (error) {
    await close()
    throw error
  }
}

const connectionName = (plugin: string): string => plugin.replaceAll('_', '-')

/** The shipped playbooks and those of the demo, or the folder of the user. */
async function playbooksIn(folder: string): Promise<string> {
  const others = othersPlaybooks()
  if (others !== undefined) return others
  const playbooks = join(folder, 'playbooks')
  await mkdir(playbooks)
  for (const from of [shippedPlaybooks, ownPlaybooks]) {
    const files = (await readdir(from)).filter(
      (file) => file.endsWith('.yaml') && !file.endsWith('.test.yaml'),
    )
    await Promise.all(files.map((file) => cp(join(from, file), join(playbooks, file))))
  }
  return playbooks
}

/** The configuration of the demo; only playbooks, plugins and the log level come from the environment. */
function demoConfig(folder: string, playbooks: string, sandboxes: readonly StartedSandbox[]): Config {
  const { TOCSIN_PLUGINS, TOCSIN_LOG_LEVEL } = process.env
  return readConfig({
    TOCSIN_DATA_DIR: join(folder, 'data'),
    TOCSIN_PORT: '0',
    TOCSIN_PLAYBOOKS_DIR: playbooks,
    TOCSIN_PLUGINS,
    TOCSIN_LOG_LEVEL: TOCSIN_LOG_LEVEL || 'error',
    TOCSIN_ALLOW_PRIVATE_EGRESS: sandboxes.map(({ running }) => new URL(running.url).host).join(','),
  })
}

async function addMissingProviders(samples: readonly SampleAlert[], api: ApiClient) {
  const { data } = await api.get<{ data: readonly { code: string }[] }>('/providers?limit=200')
  const known = new Set(data.map((provider) => provider.code))
  const missing = new Set(samples.map((sample) => sample.provider).filter((code) => !known.has(code)))
  for (const code of missing) await api.post('/providers', { code, name: code })
}
