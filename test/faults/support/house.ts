import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { killCommands } from '../../cli/support/run-tocsin.ts'
import { startServer, type Reply, type RunningServer } from '../../cli/support/start-server.ts'
import { makeTemporaryFolder } from '../../support/temporary-folder.ts'

/** A folder with data and playbooks, in which one `tocsin serve` after another lives. */
export interface House {
  readonly path: string
  readonly server: RunningServer
  /** Steps of a playbook, as YAML; for alerts of the type that is its name, if `alert` does not say for which. */
  addPlaybook(name: string, steps: string, alert?: string): Promise<void>
  /** Starts the first server, or the next one on the same data. */
  start(options?: HouseOptions): Promise<RunningServer>
  post(type: string, content?: string): Promise<Reply>
  /** Connects the plugin `http` to a system of the test's own: private addresses are reached in no other way. */
  connect(name: string, url: string): Promise<void>
  /** All runs, once so many of them have ended. */
  endedRuns(count: number): Promise<any[]>
  /** All alerts, once each has been investigated. */
  investigatedAlerts(): Promise<any[]>
  close(): Promise<void>
}

export interface HouseOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly under?: readonly string[]
}

export async function makeHouse(): Promise<House> {
  const folder = await makeTemporaryFolder()
  const playbooks = join(folder.path, 'playbooks')
  await mkdir(playbooks)
  let server: RunningServer | undefined
  const current = (): RunningServer => {
    if (server === undefined) throw new Error('nothing has been started')
    return server
  }
  async function list(path: string, isDone: (rows: any[]) => boolean): Promise<any[]> {
    for (let n = 0; n < 600; n++) {
      const { body } = await current().call(`${path}?limit=200`)
      if (Array.isArray(body.data) && isDone(body.data)) return body.data
      await sleep(50)
    }
    throw new Error(`${path} did not come to what was expected`)
  }
  return {
    path: folder.path,
    get server() {
      return current()
    },
    addPlaybook: (name, steps, alert = `{ type: ${name} }`) =>
      writeFile(
        join(playbooks, `${name}.yaml`),
        `apiVersion: tocsin/v1\nname: ${name}\non: { alert: ${alert} }\nsteps:\n${steps}\n`,
      ),
    async start(options = {}) {
      const adminKey = server?.adminKey
      const known = adminKey === undefined ? {} : { adminKey }
      server = await startServer({ cwd: folder.path, dataDir: 'data', ...options, ...known })
      return server
    },
    post: (type, content = 'x') =>
      current().call('/alerts', {
        body: {
          alert_provider: 'custom',
          organization_code: 'main',
          alert_type: type,
          alert_content: content,
        },
      }),
    async connect(name, url) {
      const body = { organization_code: 'main', plugin: 'http', name, settings: { base_url: url } }
      const { status } = await current().call('/connections', { body })
      if (status !== 201) throw new Error(`the connection was answered ${status}`)
    },
    endedRuns: (count) =>
      list('/runs', (runs) => runs.filter(({ ended_at }) => ended_at !== null).length === count),
    investigatedAlerts: () =>
      list('/alerts', (alerts) => alerts.every((alert) => alert.investigation_status >= 15)),
    async close() {
      await killCommands()
      await folder.remove()
    },
  }
}
