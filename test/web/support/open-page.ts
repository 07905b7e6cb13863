import { expect } from 'chai'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { RunningServer } from '../../support/server/start-server.ts'
import { signIn, startPageServer, type PageServer } from './page-server.ts'

/** The page in a browser with its own server; available after `before`. */
export interface OpenPage {
  readonly page: Page
  readonly server: RunningServer
  /** Loads the page at this path. */
  visit(path: string): Promise<unknown>
  /**
   * Shows another view like a click on a link: the loaded page stays, which saves two thirds of the processor
   * time.
   */
  go(path: string): Promise<unknown>
  /** Posts an alert of this type, waits for its investigation and returns its id. */
  postAlert(type: string, content?: string): Promise<string>
  /** Starts a playbook manually; returns the uuid of its run. */
  startRun(playbook: string): Promise<string>
  /** Writes a file to the playbooks folder. */
  writePlaybook(name: string, source: string): Promise<void>
  /** Deletes a file of the playbooks folder. */
  deletePlaybook(name: string): Promise<void>
  /** Restarts the server; sessions stay. */
  restart(): Promise<void>
}

interface OpenPageOptions {
  /** Source of an additional plugin, which runs in the folder of the server. */
  readonly plugin?: string
  /** Additional configuration, read when the server starts. */
  readonly env?: Readonly<Record<string, string>>
  /** Default false: the server runs in the process of the tests. */
  readonly ownProcess?: boolean
  /** Default true: signed in with the admin key, at the list of alerts. */
  readonly isSignedIn?: boolean
}

/**
 * For the tests of a `describe`: starts a server and a browser before them, stops both afterwards, and fails
 * a test that caused a dialog, a policy violation or an error in the page. Skips if no browser can be
 * started. @param playbooks sources by name
 */
export function openPage(
  playbooks: Readonly<Record<string, string>> = {},
  { plugin, env, ownProcess, isSignedIn = true }: OpenPageOptions = {},
): OpenPage {
  let opened: PageServer | undefined
  before(async function () {
    this.timeout(180_000)
    opened = await startPageServer(playbooks, { plugin, env, ownProcess })
    if (opened === undefined) return this.skip()
    if (!isSignedIn) return
    const { page } = opened.browser
    await page.goto(opened.server.url)
    await signIn(page, opened.server.adminKey)
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
  })
  after(() => opened?.close())
  afterEach(() => {
    expect(opened?.browser.alarms, 'dialogs, refused content, errors in the page').to.deep.equal([])
  })
  const present = (): PageServer => {
    if (opened === undefined) throw new Error('no browser')
    return opened
  }
  return {
    get page() {
      return present().browser.page
    },
    get server() {
      return present().server
    },
    visit: (path) => present().browser.page.goto(`${present().server.url}${path}`),
    go: (path) => present().browser.page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`),
    async postAlert(type, content = '{"user":"kim","ip":"203.0.113.77"}') {
      const { body } = await present().server.call('/alerts', {
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
      const { body } = await present().server.call(`/playbooks/${playbook}/runs`, {
        body: { organization_code: 'main' },
      })
      return body.run_uuid
    },
    writePlaybook: (name, source) => writeFile(join(present().playbooksDir, `${name}.yaml`), source),
    deletePlaybook: (name) => rm(join(present().playbooksDir, `${name}.yaml`)),
    async restart() {
      await present().restart()
    },
  }
}
