import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunningSandbox } from '../../../core/plugin/index.ts'
import { loadSandbox } from '../../../core/registry/load-sandbox.ts'
import { readConfig } from '../../../server/config/config.ts'
import { makeKey } from '../../../server/access/keys.ts'
import { startTocsin, type Tocsin } from '../../../server/main.ts'
import { callApi, type CallOptions, type Reply } from '../../cli/support/start-server.ts'
import { expectNoSecrets, secretsOf } from './expect-no-secrets.ts'
import { makeTemporaryFolder } from '../../support/temporary-folder.ts'

const pluginsDir = join(import.meta.dirname, '../../../plugins')

/** A server in this process, that can be started again on the same folder, with the sandbox of a plugin beside it. */
export interface TestTocsin {
  readonly folder: string
  readonly playbooksDir: string
  readonly sandbox: RunningSandbox
  call(path: string, options?: CallOptions): Promise<Reply>
  /** What lies outside the prefix of the API, with this key; default: the administrator's. */
  fetch(path: string, key?: string): Promise<Response>
  /** Posts an alert of the organization `main` and waits until its investigation has ended. */
  investigate(alert: {
    readonly type: string
    readonly content: string
    readonly provider?: string
  }): Promise<Reply>
  /** Connects the organization `main` to the sandbox. */
  connect(name: string): Promise<Reply>
  restart(): Promise<void>
  close(): Promise<void>
}

/**
 * @param plugin Whose sandbox. Default: the intel provider's.
 * @param playbooks That are there from the start, by name.
 * @param env Configuration besides.
 */
export async function startTestTocsin(
  plugin = 'intel_provider',
  playbooks: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<TestTocsin> {
  const folder = await makeTemporaryFolder()
  const sandbox = await startSandbox(plugin)
  const playbooksDir = join(folder.path, 'playbooks')
  await mkdir(playbooksDir)
  for (const [name, source] of Object.entries(playbooks)) {
    await writeFile(join(playbooksDir, `${name}.yaml`), source)
  }
  const key = makeKey().value
  const start = () =>
    startTocsin(
      readConfig({
        TOCSIN_DATA_DIR: join(folder.path, 'data'),
        TOCSIN_PORT: '0',
        TOCSIN_LOG_LEVEL: 'error',
        TOCSIN_PLAYBOOKS_DIR: playbooksDir,
        TOCSIN_ALLOW_PRIVATE_EGRESS: new URL(sandbox.url).host,
        TOCSIN_BOOTSTRAP_API_KEY: key,
        // Tests send the same alert again and again.
        TOCSIN_GROUP_MINUTES: '0',
        ...env,
      }),
    )
  let tocsin: Tocsin
  try {
    tocsin = await start()
  } catch (error) {
    await sandbox.close()
    await folder.remove()
    throw error
  }
  const call: TestTocsin['call'] = (path, options) => callApi(`${tocsin.apiUrl}${path}`, { key, ...options })
  return {
    folder: folder.path,
    playbooksDir,
    sandbox,
    call,
    fetch: (path, other = key) =>
      fetch(`${tocsin.url}${path}`, other === '' ? {} : { headers: { authorization: `Bearer ${other}` } }),
    async investigate({ type, content, provider = 'custom' }) {
      const body = {
        alert_provider: provider,
        organization_code: 'main',
        alert_type: type,
        alert_content: content,
      }
      const posted = await call('/alerts', { body, headers: { prefer: 'wait=30' } })
      return posted.status === 201 ? call(`/alerts/${posted.body.alert_id}`) : posted
    },
    connect: (name) => call('/connections', { body: connectionTo(sandbox, name, plugin) }),
    async restart() {
      await tocsin.close()
      tocsin = await start()
    },
    async close() {
      const secrets = [...secretsOf(tocsin.catalogue, plugin, sandbox.settings), key.slice(-43)]
      // While the write-ahead log is there, and after it has been written back.
      await expectNoSecrets(folder.path, secrets)
      await tocsin.close()
      await expectNoSecrets(folder.path, secrets)
      await sandbox.close()
      await folder.remove()
    },
  }
}

export const startIntelSandbox = (): Promise<RunningSandbox> => startSandbox('intel_provider')

async function startSandbox(plugin: string): Promise<RunningSandbox> {
  const definition = await loadSandbox({ pluginsDir }, plugin)
  return definition!.start()
}

/** What POST connections takes. */
export function connectionTo(sandbox: RunningSandbox, name: string, plugin = 'intel_provider') {
  return { organization_code: 'main', name, plugin, settings: sandbox.settings }
}
