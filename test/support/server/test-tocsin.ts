import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunningSandbox } from '../../../core/plugin/index.ts'
import { discoverPlugins } from '../../../core/registry/discover-plugins.ts'
import { loadSandbox } from '../../../core/registry/load-sandbox.ts'
import { eventually } from '../eventually.ts'
import { makeTemporaryFolder } from '../temporary-folder.ts'
import { expectNoSecrets, secretsOf } from './expect-no-secrets.ts'
import { killCommands } from './run-tocsin.ts'
import {
  startServer,
  startServerInProcess,
  type CallOptions,
  type Reply,
  type RunningServer,
} from './start-server.ts'

const pluginsDir = join(import.meta.dirname, '../../../plugins')

/** A folder with data and playbooks, in which servers run one after the other. */
export interface TestTocsin {
  readonly folder: string
  readonly playbooksDir: string
  /** The newest server; throws before the first start. */
  readonly server: RunningServer
  /** Throws if the test did not request one. */
  readonly sandbox: RunningSandbox
  call(path: string, options?: CallOptions): Promise<Reply>
  /** A path outside the prefix of the API. Default key: the admin key; empty: none. */
  fetch(path: string, key?: string): Promise<Response>
  /** Steps of a playbook, as YAML. By default it is triggered by the alert type with its name. */
  addPlaybook(name: string, steps: string, alert?: string): Promise<void>
  /** Starts the first server, or another one on the same data. */
  start(options?: StartOptions): Promise<RunningServer>
  /** Stops the running server and starts another one. */
  restart(): Promise<RunningServer>
  /** Posts an alert of the organization `main`. */
  post(type: string, content?: string): Promise<Reply>
  /** Posts an alert of the organization `main` and waits until its investigation has ended. */
  investigate(alert: {
    readonly type: string
    readonly content: string
    readonly provider?: string
  }): Promise<Reply>
  /**
   * Creates a connection of the organization `main` to the sandbox, or with the plugin `http` to a test
   * system at this address; throws if it is refused.
   */
  connect(name: string, url?: string): Promise<Reply>
  /** All runs, once this many have ended. */
  endedRuns(count: number): Promise<any[]>
  /** All alerts, once each has been investigated. */
  investigatedAlerts(): Promise<any[]>
  /** Stops the server; with a sandbox, checks that the folder contains no secret. */
  close(): Promise<void>
}

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>
  /** A program with its arguments that starts the server, such as a tracer. */
  readonly under?: readonly string[]
}

export interface TestTocsinOptions {
  /**
   * Default false: a separate process, which can be killed, traced and limited. True: the process of the
   * tests, which saves a second of processor time.
   */
  readonly inProcess?: boolean
  /** Initial playbooks: sources by name. */
  readonly playbooks?: Readonly<Record<string, string>>
  /** Plugin whose sandbox runs beside the server and is reachable from it. */
  readonly sandbox?: string
  /** Source of an additional plugin. */
  readonly plugin?: string
  /** Additional configuration of every start. */
  readonly env?: Readonly<Record<string, string>>
}

/** The server is not started yet. */
export async function makeTestTocsin(options: TestTocsinOptions = {}): Promise<TestTocsin> {
  const { inProcess = false, playbooks = {} } = options
  const folder = await makeTemporaryFolder()
  const playbooksDir = join(folder.path, 'playbooks')
  await mkdir(playbooksDir)
  for (const [name, source] of Object.entries(playbooks))
    await writeFile(join(playbooksDir, `${name}.yaml`), source)
  const pluginFile = join(folder.path, 'plugin.js')
  if (options.plugin !== undefined) await writeFile(pluginFile, options.plugin)
  const sandbox = options.sandbox === undefined ? undefined : await startSandbox(options.sandbox)
  const given = {
    cwd: folder.path,
    dataDir: 'data',
    env: {
      ...(options.plugin !== undefined && { TOCSIN_PLUGINS: pluginFile }),
      ...(sandbox !== undefined && { TOCSIN_ALLOW_PRIVATE_EGRESS: new URL(sandbox.url).host }),
      ...options.env,
    },
  }
  let running: RunningServer | undefined
  const current = (): RunningServer => {
    if (running === undefined) throw new Error('no server has been started')
    return running
  }
  const call: TestTocsin['call'] = (path, request) => current().call(path, request)

  const rowsOnce = (path: string, isDone: (rows: any[]) => boolean): Promise<any[]> =>
    eventually(`what is expected of ${path}`, async () => {
      const { body } = await call(`${path}?limit=200`)
      return Array.isArray(body.data) && isDone(body.data) ? body.data : undefined
    })

  const server: TestTocsin = {
    folder: folder.path,
    playbooksDir,
    get server() {
      return current()
    },
    get sandbox() {
      if (sandbox === undefined) throw new Error('the test asked for no sandbox')
      return sandbox
    },
    call,
    fetch: (path, key = current().adminKey) =>
      fetch(`${current().url}${path}`, key === '' ? {} : { headers: { authorization: `Bearer ${key}` } }),
    addPlaybook: (name, steps, alert = `{ type: ${name} }`) =>
      writeFile(
        join(playbooksDir, `${name}.yaml`),
        `apiVersion: tocsin/v1\nname: ${name}\non: { alert: ${alert} }\nsteps:\n${steps}\n`,
      ),
    async start({ env, under } = {}) {
      const known = running === undefined ? {} : { adminKey: running.adminKey }
      const whole = { ...given, ...known, env: { ...given.env, ...env } }
      running = inProcess
        ? await startServerInProcess(whole)
        : await startServer({ ...whole, ...(under !== undefined && { under }) })
      return running
    },
    async restart() {
      await current().stop()
      return await server.start()
    },
    post: (type, content = 'x') => call('/alerts', { body: alertBody(type, content) }),
    async investigate({ type, content, provider }) {
      const body = alertBody(type, content, provider)
      const posted = await call('/alerts', { body, headers: { prefer: 'wait=30' } })
      return posted.status === 201 ? call(`/alerts/${posted.body.alert_id}`) : posted
    },
    async connect(name, url) {
      const http = { organization_code: 'main', plugin: 'http', name, settings: { base_url: url } }
      const body = url === undefined ? connectionTo(server.sandbox, name, options.sandbox) : http
      const made = await call('/connections', { body })
      if (made.status !== 201) throw new Error(`connection not made: ${JSON.stringify(made.body)}`)
      return made
    },
    endedRuns: (count) =>
      rowsOnce('/runs', (runs) => runs.filter(({ ended_at }) => ended_at !== null).length === count),
    investigatedAlerts: () =>
      rowsOnce('/alerts', (alerts) => alerts.every((alert) => alert.investigation_status >= 15)),
    async close() {
      const secrets = await secretsIn(options.sandbox, sandbox, running?.adminKey)
      // While the write-ahead log exists, and after it was written back.
      if (secrets.length > 0) await expectNoSecrets(folder.path, secrets)
      if (inProcess) await running?.stop()
      else await killCommands()
      if (secrets.length > 0) await expectNoSecrets(folder.path, secrets)
      await sandbox?.close()
      await folder.remove()
    },
  }
  return server
}

/** Makes a server and starts it. */
export async function startTestTocsin(options: TestTocsinOptions = {}): Promise<TestTocsin> {
  const server = await makeTestTocsin(options)
  try {
    await server.start()
  } catch (error) {
    await server.close()
    throw error
  }
  return server
}

export async function startSandbox(plugin: string): Promise<RunningSandbox> {
  const definition = await loadSandbox({ pluginsDir }, plugin)
  return definition!.start()
}

/** The body for POST connections. */
export function connectionTo(sandbox: RunningSandbox, name: string, plugin = 'intel_provider') {
  return { organization_code: 'main', name, plugin, settings: sandbox.settings }
}

function alertBody(type: string, content: string, provider = 'custom') {
  return { alert_provider: provider, organization_code: 'main', alert_type: type, alert_content: content }
}

let catalogue: ReturnType<typeof discoverPlugins> | undefined

/** Secrets of the sandbox and the admin key; none without a sandbox. */
async function secretsIn(
  plugin: string | undefined,
  sandbox: RunningSandbox | undefined,
  adminKey = '',
): Promise<readonly string[]> {
  if (plugin === undefined || sandbox === undefined) return []
  catalogue ??= discoverPlugins({ pluginsDir, packages: [] })
  return [...secretsOf(await catalogue, plugin, sandbox.settings), adminKey.slice(-43)]
}
