import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { startServer, type RunningServer } from '../../cli/support/start-server.ts'
import { makeTemporaryFolder } from '../../support/temporary-folder.ts'
import { openBrowser } from './browser.ts'

/** A server with the page, and a browser that is signed in to it as administrator. */
export interface PageServer {
  /** After a restart another one. */
  readonly server: RunningServer
  readonly page: Page
  /** What must not have happened, see `openBrowser`. */
  readonly alarms: readonly string[]
  visit(path: string): Promise<unknown>
  /** Sends an alert of this type and waits until it has been investigated; gives its id. */
  postAlert(type: string, content?: string): Promise<string>
  /** Starts a playbook by hand; gives the uuid of its run. */
  startRun(playbook: string): Promise<string>
  /** Starts the server again after it has ended; who is signed in stays so. */
  restart(): Promise<void>
  close(): Promise<void>
}

/**
 * Builds the page where that is needed, and opens it. Undefined where no browser can be started.
 *
 * @param playbooks sources by name
 * @param plugin source of a further plugin, which works in the folder that the server was started in
 */
export async function openPage(
  playbooks: Readonly<Record<string, string>> = {},
  plugin?: string,
): Promise<PageServer | undefined> {
  const browser = await openBrowser()
  if (browser === undefined) return undefined
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../../server/web/build.ts')])
  const folder = await makeTemporaryFolder()
  await mkdir(join(folder.path, 'playbooks'))
  for (const [name, source] of Object.entries(playbooks))
    await writeFile(join(folder.path, `playbooks/${name}.yaml`), source)
  if (plugin !== undefined) await writeFile(join(folder.path, 'plugin.js'), plugin)
  const options = {
    cwd: folder.path,
    dataDir: 'data',
    ...(plugin !== undefined && { env: { TOCSIN_PLUGINS: './plugin.js' } }),
  }
  let server = await startServer(options)
  const { page, alarms } = browser
  const visit = (path: string) => page.goto(`${server.url}${path}`)
  await visit('/health')
  await page.getByLabel('API key').first().fill(server.adminKey)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor()
  return {
    get server() {
      return server
    },
    page,
    alarms,
    visit,
    async postAlert(type, content = '{"user":"kim"}') {
      const { body } = await server.call('/alerts', {
        body: {
          alert_provider: 'custom',
          organization_code: 'main',
          alert_type: type,
          alert_content: content,
        },
        headers: { prefer: 'wait=10' },
      })
      return body.alert_id
    },
    async startRun(playbook) {
      const { body } = await server.call(`/playbooks/${playbook}/runs`, {
        body: { organization_code: 'main' },
      })
      return body.run_uuid
    },
    async restart() {
      await server.command.ended
      server = await startServer({ ...options, adminKey: server.adminKey })
    },
    async close() {
      await browser.close()
      await server.stop()
      await folder.remove()
    },
  }
}
