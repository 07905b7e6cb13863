import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { RunningServer } from '../../cli/support/start-server.ts'
import { signIn, startPageHouse, type PageHouse } from './page-house.ts'

/** The page in a browser before a server of its own; there once `before` has run. */
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

interface OpenPageOptions {
  /** Source of a further plugin, which works in the folder that the server was started in. */
  readonly plugin?: string
  /** Default true: as the administrator, at the list of alerts. */
  readonly isSignedIn?: boolean
}

/**
 * For the tests of a `describe`: starts server and browser before them, stops them afterwards, and fails a test after which there
 * was a dialog, refused content or an error in the page. Skips where no browser can be started.
 *
 * @param playbooks sources by name
 */
export function openPage(
  playbooks: Readonly<Record<string, string>> = {},
  { plugin, isSignedIn = true }: OpenPageOptions = {},
): OpenPage {
  let house: PageHouse | undefined
  before(async function () {
    this.timeout(180_000)
    house = await startPageHouse(playbooks, plugin)
    if (house === undefined) return this.skip()
    if (!isSignedIn) return
    const { page } = house.browser
    await page.goto(house.server.url)
    await signIn(page, house.server.adminKey)
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
  })
  after(() => house?.close())
  afterEach(() => {
    expect(house?.browser.alarms, 'dialogs, refused content, errors in the page').to.deep.equal([])
  })
  const opened = (): PageHouse => {
    if (house === undefined) throw new Error('no browser')
    return house
  }
  return {
    get page() {
      return opened().browser.page
    },
    get server() {
      return opened().server
    },
    visit: (path) => opened().browser.page.goto(`${opened().server.url}${path}`),
    async postAlert(type, content = '{"user":"kim","ip":"203.0.113.77"}') {
      const { body } = await opened().server.call('/alerts', {
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
      const { body } = await opened().server.call(`/playbooks/${playbook}/runs`, {
        body: { organization_code: 'main' },
      })
      return body.run_uuid
    },
    async restart() {
      await opened().restart()
    },
  }
}
