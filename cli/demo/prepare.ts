import { join } from 'node:path'
import { loadSandbox } from '../../core/registry/index.ts'
import { readConfig, type Config } from '../../server/config.ts'
import { startTocsin, type Tocsin } from '../../server/main.ts'
import { apiClient, type ApiClient } from '../api-client.ts'
import type { SampleAlert } from './sample-alerts.ts'

/** Where the demo's alerts belong. */
export const demoOrganization = { code: 'demo', name: 'Demo organization' }

const shippedPlaybooks = join(import.meta.dirname, '../../playbooks')

/** A server in a folder of its own, with the sandboxes of its plugins behind it. */
export interface RunningDemo {
  readonly tocsin: Tocsin
  readonly key: string
  close(): Promise<void>
}

/**
 * Starts the sandbox and the server, and makes what the alerts need: organization, providers, connection. Where that fails, what
 * was started is closed again: it would keep the process from ending.
 */
export async function prepareDemo(folder: string, samples: readonly SampleAlert[]): Promise<RunningDemo> {
  const { pluginsDir } = readConfig({})
  const definition = await loadSandbox(pluginsDir, 'intel_provider')
  if (definition === undefined) throw new Error('the plugin intel_provider has no sandbox')
  const started: { close(): Promise<void> }[] = []
  const close = async () => {
    for (const one of started.toReversed()) await one.close()
  }
  try {
    const sandbox = await definition.start()
    started.push(sandbox)
    const tocsin = await startTocsin(demoConfig(folder, new URL(sandbox.url).host))
    started.push(tocsin)
    const key = tocsin.adminKey
    if (key === undefined) throw new Error(`the folder ${folder} was not empty`)
    await fill(apiClient(tocsin.apiUrl, key), samples, sandbox.settings)
    return { tocsin, key, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function fill(api: ApiClient, samples: readonly SampleAlert[], settings: unknown): Promise<void> {
  await api.post('/organizations', demoOrganization)
  await addMissingProviders(samples, api)
  await api.post('/connections', {
    organization_code: demoOrganization.code,
    name: 'intel',
    plugin: 'intel_provider',
    settings,
  })
}

/** A configuration of its own: of the environment only what says which playbooks and plugins to show, and what to log. */
function demoConfig(folder: string, sandboxHost: string): Config {
  const { TOCSIN_PLAYBOOKS_DIR, TOCSIN_PLUGINS, TOCSIN_LOG_LEVEL } = process.env
  return readConfig({
    TOCSIN_DATA_DIR: folder,
    TOCSIN_PORT: '0',
    TOCSIN_PLAYBOOKS_DIR: TOCSIN_PLAYBOOKS_DIR || shippedPlaybooks,
    TOCSIN_PLUGINS,
    TOCSIN_LOG_LEVEL: TOCSIN_LOG_LEVEL || 'error',
    TOCSIN_ALLOW_PRIVATE_EGRESS: sandboxHost,
  })
}

async function addMissingProviders(samples: readonly SampleAlert[], api: ApiClient) {
  const { data } = await api.get<{ data: readonly { code: string }[] }>('/providers')
  const known = new Set(data.map((provider) => provider.code))
  const missing = new Set(samples.map((sample) => sample.provider).filter((code) => !known.has(code)))
  for (const code of missing) await api.post('/providers', { code, name: code })
}
