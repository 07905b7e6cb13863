import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { killCommands } from '../../cli/support/run-tocsin.ts'
import { startServer, type RunningServer } from '../../cli/support/start-server.ts'
import { makeTemporaryFolder } from '../../support/temporary-folder.ts'
import { openBrowser } from './browser.ts'

/** A browser in which the administrator of a server of its own is signed in. */
export interface SignedIn {
  readonly server: RunningServer
  /** What must not have happened; see `BrowserPage`. */
  readonly alarms: readonly string[]
  /** In a page of its own; the one before is closed, whatever was not saved in it. */
  visit(path: string): Promise<Page>
  /** From now on somebody else is signed in. */
  signInAs(key: string): Promise<void>
  close(): Promise<void>
}

/** @param playbooks sources by name. Answers undefined where no browser can be started. */
export async function openSignedIn(
  playbooks: Readonly<Record<string, string>>,
): Promise<SignedIn | undefined> {
  const browser = await openBrowser()
  if (browser === undefined) return undefined
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../../server/web/build.ts')])
  const folder = await makeTemporaryFolder()
  await mkdir(join(folder.path, 'playbooks'))
  for (const [name, source] of Object.entries(playbooks))
    await writeFile(join(folder.path, `playbooks/${name}.yaml`), source)
  const server = await startServer({ cwd: folder.path, dataDir: 'data' })
  let { page } = browser
  const renew = async (): Promise<void> => {
    await page.close()
    page = await browser.newPage()
  }
  const signInAs = async (key: string): Promise<void> => {
    await renew()
    await page.context().clearCookies()
    await page.goto(server.url)
    await page.getByLabel('API key').first().fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('navigation').first().waitFor()
  }
  await signInAs(server.adminKey)
  return {
    server,
    alarms: browser.alarms,
    async visit(path) {
      await renew()
      await page.goto(`${server.url}${path}`)
      return page
    },
    signInAs,
    async close() {
      await browser.close()
      await killCommands()
      await folder.remove()
    },
  }
}
