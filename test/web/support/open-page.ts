import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { killCommands } from '../../cli/support/run-tocsin.ts'
import { startServer, type RunningServer } from '../../cli/support/start-server.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts'
import { openBrowser, type BrowserPage } from './browser.ts'

/** The page in a browser, signed in, before a server of its own; there once `before` has run. */
export interface OpenPage {
  readonly page: Page
  readonly server: RunningServer
  visit(path: string): Promise<unknown>
  /** Posts an alert of this type, waits for its investigation and gives its id. */
  postAlert(type: string, content?: string): Promise<string>
  /** Starts a playbook by hand; gives the uuid of its run. */
  startRun(playbook: string): Promise<string>
  /** Starts the server again after it has ended; who is signed in stays so. */
  restart(): Promise<void>
}

/**
 * For the tests of a `describe`: starts server and browser before them, stops them afterwards, and fails a test after which there
 * was a dialog, refused content or an error in the page. Skips where no browser can be started.
 *
 * @param playbooks sources by name
 * @param plugin source of a further plugin, which works in the folder that the server was started in
 */
export function openPage(playbooks: Readonly<Record<string, string>> = {}, plugin?: string): OpenPage {
  let browser: BrowserPage | undefined
  let server: RunningServer
  let folder: TemporaryFolder | undefined
  const optionsIn = (cwd: string) => ({
    cwd,
    dataDir: 'data',
    ...(plugin !== undefined && { env: { TOCSIN_PLUGINS: './plugin.js' } }),
  })
  before(async function () {
    this.timeout(180_000)
    browser = await openBrowser()
    if (browser === undefined) return this.skip()
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../../server/web/build.ts')])
    folder = await makeTemporaryFolder()
    await mkdir(join(folder.path, 'playbooks'))
    for (const [name, source] of Object.entries(playbooks))
      await writeFile(join(folder.path, 'playbooks', `${name}.yaml`), source)
    if (plugin !== undefined) await writeFile(join(folder.path, 'plugin.js'), plugin)
    server = await startServer(optionsIn(folder.path))
    const { page } = browser
    await page.goto(server.url)
    await page.getByLabel('API key').first().fill(server.adminKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
  })
  after(async () => {
    await browser?.close()
    await killCommands()
    await folder?.remove()
  })
  afterEach(() => {
    expect(browser?.alarms, 'dialogs, refused content, errors in the page').to.deep.equal([])
  })
  const opened = (): BrowserPage => {
    if (browser === undefined) throw new Error('no browser')
    return browser
  }
  return {
    get page() {
      return opened().page
    },
    get server() {
      return server
    },
    visit: (path) => opened().page.goto(`${server.url}${path}`),
    async postAlert(type, content = '{"user":"kim","ip":"203.0.113.77"}') {
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
      server = await startServer({ ...optionsIn(folder?.path ?? ''), adminKey: server.adminKey })
    },
  }
}
