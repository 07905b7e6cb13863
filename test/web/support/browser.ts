import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import axe from 'axe-core'
import { chromium as playwright, type Browser, type Page } from 'playwright-core'
import { temporaryFilesIn } from '../../support/temporary-files-in.ts'
import { makeTemporaryFolder } from '../../support/temporary-folder.ts'
import { noteUntested } from '../../support/untested.ts'
import { browserArguments, unpackedBrowser } from './unpacked-browser.ts'

export interface BrowserPage {
  readonly page: Page
  /** Events that must not happen: dialogs, violations of the content security policy, errors in the page. */
  readonly alarms: readonly string[]
  /** Another page of the same browser, with the same session. */
  newPage(): Promise<Page>
  close(): Promise<void>
}

/**
 * For tests: undefined if no browser can be started, which the summary of the test run reports with the
 * reason. With `TOCSIN_BROWSER_REQUIRED` it throws.
 */
export async function openBrowser(): Promise<BrowserPage | undefined> {
  try {
    return await startBrowser()
  } catch (error) {
    if (process.env['TOCSIN_BROWSER_REQUIRED'] !== undefined) throw error
    noteUntested(
      `the web page: no browser can be started here (${reasonOf(error)}). TOCSIN_BROWSER=<path> names another Chromium.`,
    )
    return undefined
  }
}

/** The browser of the development packages, or the Chromium in `TOCSIN_BROWSER`. */
export async function startBrowser(): Promise<BrowserPage> {
  const executablePath = process.env['TOCSIN_BROWSER'] ?? (await unpackedBrowser())
  // A browser that fails to start leaves files behind.
  const folder = await makeTemporaryFolder()
  let browser: Browser
  try {
    browser = await temporaryFilesIn(folder.path, () =>
      playwright.launch({ executablePath, args: browserArguments(), headless: true }),
    )
  } catch (error) {
    await folder.remove()
    throw error
  }
  // Fading elements would be measured halfway.
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    reducedMotion: 'reduce',
  })
  const alarms: string[] = []
  const newPage = async (): Promise<Page> => {
    const page = await context.newPage()
    page.setDefaultTimeout(15_000)
    page.on('dialog', (dialog) => {
      alarms.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('pageerror', (error) => alarms.push(`error: ${error.message}`))
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) alarms.push(message.text())
    })
    return page
  }
  return {
    page: await newPage(),
    alarms,
    newPage,
    async close() {
      await browser.close()
      await folder.remove()
    },
  }
}

/** The relevant line of a long error message. */
function reasonOf(error: unknown): string {
  const lines = String(error).split('\n')
  return (
    lines.find((line) => /shared libraries|exec format|permission|exist/i.test(line)) ??
    lines[0] ??
    ''
  ).trim()
}

/**
 * Waits in the page until all finite animations have ended, because colours in transition have other
 * contrasts. A change starts its animation with the next frame, sometimes the one after it.
 */
const stillness = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const ends = ({ effect, playState }) => playState === 'running' && effect.getComputedTiming().endTime !== Infinity
  for (;;) {
    await frame()
    await frame()
    const moving = document.getAnimations().filter(ends)
    if (moving.length === 0) return
    await Promise.allSettled(moving.map(({ finished }) => finished))
  }
})()`

/**
 * The serious and critical findings of axe in the page, with their places. @param rules the axe
 * rules to check. Default: all.
 */
export async function seriousFaults(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  await page.evaluate(stillness)
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source)
  const found = await page.evaluate(async (runOnly) => {
    const { axe: loaded } = globalThis as unknown as { axe: typeof axe }
    const { violations } = await loaded.run({
      resultTypes: ['violations'],
      ...(runOnly !== undefined && { runOnly: [...runOnly] }),
    })
    return violations.flatMap(({ id, impact, nodes }) =>
      impact === 'serious' || impact === 'critical'
        ? nodes.map(({ html }) => `${id}: ${html.slice(0, 300)}`)
        : [],
    )
  }, rules)
  return found
}

/** Waits until the page has no active requests. */
export async function settled(page: Page): Promise<void> {
  await page.locator('#view h1, [role=alert]').first().waitFor()
  // A click starts its requests with the next frame.
  await page.evaluate(stillness)
  await page.locator('.mantine-Skeleton-root, .mantine-Loader-root').first().waitFor({ state: 'detached' })
}

/** Saves a screenshot for people if `TOCSIN_PICTURES` names a folder: `<name>.png`. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['TOCSIN_PICTURES']
  if (folder === undefined) return
  const path = join(folder, `${name}.png`)
  await mkdir(dirname(path), { recursive: true })
  // A slow machine must not fail a test.
  await page.screenshot({ path, timeout: 5_000 }).catch(() => undefined)
}
