import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import type { RunningServer } from '../../support/server/start-server.ts'
import { makeTestTocsin } from '../../support/server/test-tocsin.ts'
import { openBrowser, type BrowserPage } from './browser.ts'

/** A server with the page, and a browser without a session. */
export interface PageServer {
  readonly browser: BrowserPage
  readonly server: RunningServer
  readonly playbooksDir: string
  /** Restarts the server; sessions stay. */
  restart(): Promise<RunningServer>
  close(): Promise<void>
}

interface PageServerOptions {
  /** Source of an additional plugin, which runs in the folder of the server. */
  readonly plugin?: string | undefined
  /** Additional configuration. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Default false: the server runs in the process of the tests. */
  readonly ownProcess?: boolean | undefined
}

const builder = join(import.meta.dirname, '../../../server/web/build.ts')
/** Once for all files of a test process. */
let pageBuilt: Promise<unknown> | undefined

/**
 * Undefined if no browser can be started.
 *
 * @param playbooks sources by name
 */
export async function startPageServer(
  playbooks: Readonly<Record<string, string>>,
  { plugin, env, ownProcess = false }: PageServerOptions = {},
): Promise<PageServer | undefined> {
  const browser = await openBrowser()
  if (browser === undefined) return undefined
  await (pageBuilt ??= promisify(execFile)(process.execPath, [builder]))
  const server = await makeTestTocsin({
    inProcess: !ownProcess,
    playbooks,
    ...(plugin !== undefined && { plugin }),
    ...(env !== undefined && { env }),
  })
  await server.start()
  return {
    browser,
    playbooksDir: server.playbooksDir,
    get server() {
      return server.server
    },
    async restart() {
      await server.server.command.ended
      return await server.start()
    },
    async close() {
      await browser.close()
      await server.close()
    },
  }
}

/** Shows the form for API keys; the page remembers the choice. */
async function chooseKey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  const choice = page.getByRole('button', { name: 'Use an API key' })
  if (await choice.isVisible()) await choice.click()
}

/** Types the key into the sign-in form. */
export async function signIn(page: Page, key: string): Promise<void> {
  await chooseKey(page)
  await page.getByLabel('API key').first().fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
