import type { Page } from 'playwright-core'
import type { RunningServer } from '../../support/server/start-server.ts'
import { signIn, startPageServer } from './page-server.ts'

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
  const opened = await startPageServer(playbooks)
  if (opened === undefined) return undefined
  const { browser, server } = opened
  let { page } = browser
  const renew = async (): Promise<void> => {
    await page.close()
    page = await browser.newPage()
  }
  const signInAs = async (key: string): Promise<void> => {
    await renew()
    await page.context().clearCookies()
    await page.goto(server.url)
    await signIn(page, key)
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
    close: () => opened.close(),
  }
}
