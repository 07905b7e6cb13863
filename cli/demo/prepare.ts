import { cp, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig, type Config } from '../../server/config/config.ts'
import { startTocsin, type Tocsin } from '../../server/main.ts'
import { apiClient, type ApiClient } from '../api-client.ts'
import { connect } from '../sandbox/connect.ts'
import { closeSandboxes, startSandboxes, type StartedSandbox } from '../sandbox/start-sandboxes.ts'
import { othersPlaybooks } from './others-playbooks.ts'
import type { SampleAlert } from './sample-alerts.ts'

/** Where the demo's alerts belong. */
export const demoOrganization = { code: 'demo', name: 'Demo organization' }

/** The other systems behind the demo. */
const plugins = ['endpoint_security', 'intel_provider', 'messaging', 'threat_platform', 'travel'] as const
export type DemoPlugin = (typeof plugins)[number]

const shippedPlaybooks = join(import.meta.dirname, '../../playbooks')
const ownPlaybooks = join(import.meta.dirname, 'playbooks')

/** A server in a folder of its own, with the sandboxes of its plugins behind it. */
export interface RunningDemo {
  readonly tocsin: Tocsin
  readonly key: string
  readonly api: ApiClient
  readonly sandboxes: readonly StartedSandbox[]
  sandbox(plugin: DemoPlugin): StartedSandbox
  close(): Promise<void>
}

export interface DemoOptions {
  /** Told what a person in the other systems would see. */
  readonly onNews: (plugin: string, news: string) => void
  readonly onAnswer: NonNullable<Parameters<typeof startSandboxes>[0]['onAnswer']>
}

/**
 * Starts the sandboxes and the server, and makes what the alerts need: organization, providers, connections. Where that fails, what
 * was started is closed again: it would keep the process from ending.
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
    if (key === undefined) throw new Error(`the folder ${folder} was not empty`)
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

/** The playbooks that are shipped, beside those of the demo alone; or those of somebody else. */
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

/** A configuration of its own: of the environment only what says which playbooks and plugins to show, and what to log. */
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
