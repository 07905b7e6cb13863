import type { Page } from 'playwright-core'
import type { RunningServer } from '../../support/server/start-server.ts'
import { signIn, startPageServer } from './page-server.ts'

/** A browser with an admin session on its own server. */
export interface SignedIn {
  readonly server: RunningServer
  /** Events that must not happen; see `BrowserPage`. */
  readonly alarms: readonly string[]
  /** In a new page; the previous one is closed, and its unsaved input is lost. */
  visit(path: string): Promise<Page>
  /** Signs in with another key. */
  signInAs(key: string): Promise<void>
  close(): Promise<void>
}

/** @param playbooks sources by name. Returns undefined if no browser can be started. */
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
