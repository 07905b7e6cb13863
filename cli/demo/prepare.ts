import { cp, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig, type Config } from '../../server/config/config.ts'
import { startTocsin, type Tocsin } from '../../server/main.ts'
import { apiClient, type ApiClient } from '../api-client.ts'
import { connect } from '../sandbox/connect.ts'
import { closeSandboxes, startSandboxes, type StartedSandbox } from '../sandbox/start-sandboxes.ts'
import { othersPlaybooks, type SampleAlert } from './sample-alerts.ts'

/** The organization of the demo alerts. */
export const demoOrganization = { code: 'demo', name: 'Demo organization' }

/** Plugins whose systems are emulated. */
const plugins = ['endpoint_security', 'intel_provider', 'messaging', 'threat_platform', 'travel'] as const
export type DemoPlugin = (typeof plugins)[number]

const shippedPlaybooks = join(import.meta.dirname, '../../playbooks')
const ownPlaybooks = join(import.meta.dirname, 'playbooks')

/** A temporary server with the sandboxes of its plugins. */
export interface RunningDemo {
  readonly tocsin: Tocsin
  readonly key: string
  readonly api: ApiClient
  readonly sandboxes: readonly StartedSandbox[]
  sandbox(plugin: DemoPlugin): StartedSandbox
  close(): Promise<void>
}

export interface DemoOptions {
  /** Receives events that a person in the other systems would see. */
  readonly onNews: (plugin: string, news: string) => void
  readonly onAnswer: NonNullable<Parameters<typeof startSandboxes>[0]['onAnswer']>
}

/**
 * Starts the sandboxes and the server, and creates the organization, providers and connections. Closes
 * everything on failure, so that the process can end.
 */
export async function prepareDemo(
  folder: string,
  samples: readonly SampleAlert[],
  options: DemoOptions,
): Promise<RunningDemo> {
  const { pluginsDir } = readConfig({})
  const sandboxes = await startSandboxes({ pluginsDir, plugins, ...options })
  let tocsin: Tocsin | undefined
  const close = async () => {
    await tocsin?.close()
    await closeSandboxes(sandboxes)
  }
  try {
    tocsin = await startTocsin(demoConfig(folder, await playbooksIn(folder), sandboxes))
    const key = tocsin.adminKey
    if (key === undefined) throw new Error(`the folder ${folder} is not empty`)
    const api = apiClient(tocsin.apiUrl, key)
    await api.post('/organizations', demoOrganization)
    await addMissingProviders(samples, api)
    const names = { organization: demoOrganization.code, nameOf: connectionName }
    await Promise.all(sandboxes.map((sandbox) => connect(api, sandbox, names)))
    const sandbox = (plugin: DemoPlugin) => sandboxes.find((one) => one.plugin === plugin)!
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
