import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { killCommands } from '../../cli/support/run-tocsin.ts'
import { startServer, type RunningServer } from '../../cli/support/start-server.ts'
import { makeTemporaryFolder } from '../../support/temporary-folder.ts'
import { openBrowser, type BrowserPage } from './browser.ts'

/** A server that serves the page, in a folder of its own, and a browser before it in which nobody is signed in. */
export interface PageHouse {
  readonly browser: BrowserPage
  readonly server: RunningServer
  /** Starts the server again after it has ended; who is signed in stays so. */
  restart(): Promise<RunningServer>
  close(): Promise<void>
}

const builder = join(import.meta.dirname, '../../../server/web/build.ts')
/** Once for all files that a process of the tests runs. */
let pageBuilt: Promise<unknown> | undefined

/**
 * Undefined where no browser can be started.
 *
 * @param playbooks sources by name
 * @param plugin source of a further plugin, which works in the folder that the server was started in
 */
export async function startPageHouse(
  playbooks: Readonly<Record<string, string>>,
  plugin?: string,
): Promise<PageHouse | undefined> {
  const browser = await openBrowser()
  if (browser === undefined) return undefined
  await (pageBuilt ??= promisify(execFile)(process.execPath, [builder]))
  const folder = await makeTemporaryFolder()
  await mkdir(join(folder.path, 'playbooks'))
  for (const [name, source] of Object.entries(playbooks))
    await writeFile(join(folder.path, 'playbooks', `${name}.yaml`), source)
  if (plugin !== undefined) await writeFile(join(folder.path, 'plugin.js'), plugin)
  const options = {
    cwd: folder.path,
    dataDir: 'data',
    ...(plugin !== undefined && { env: { TOCSIN_PLUGINS: './plugin.js' } }),
  }
  let server = await startServer(options)
  return {
    browser,
    get server() {
      return server
    },
    async restart() {
      await server.command.ended
      server = await startServer({ ...options, adminKey: server.adminKey })
      return server
    },
    async close() {
      await browser.close()
      await killCommands()
      await folder.remove()
    },
  }
}

/** Types the key where the page asks for it. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').first().fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
