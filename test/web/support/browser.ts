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
  /** What must not have happened: dialogs, refusals by the content security policy, errors in the page. */
  readonly alarms: readonly string[]
  /** Another page of the same browser, with the same session. */
  newPage(): Promise<Page>
  close(): Promise<void>
}

/**
 * For tests: undefined where no browser can be started, which the end of the run says with the reason. With
 * `TOCSIN_BROWSER_REQUIRED` it throws.
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

/** The browser that the development packages bring, or the Chromium that `TOCSIN_BROWSER` names. */
export async function startBrowser(): Promise<BrowserPage> {
  const executablePath = process.env['TOCSIN_BROWSER'] ?? (await unpackedBrowser())
  // One that does not start leaves files behind.
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
  // What fades in would be looked at half way.
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

/** Of a long account, the line that says why. */
function reasonOf(error: unknown): string {
  const lines = String(error).split('\n')
  return (
    lines.find((line) => /shared libraries|exec format|permission|exist/i.test(line)) ??
    lines[0] ??
    ''
  ).trim()
}

/**
 * Waits, in the page, until nothing fades or moves that comes to an end: colours half way have other contrasts. What was set a
 * moment ago begins to move with the next frame, in some cases with the one after it.
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
 * What axe finds serious or worse in the page as it is, each with where.
 *
 * @param rules which rules of axe it is to keep. Default: all.
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

/** Waits until nothing in the page is on its way any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('#view h1, [role=alert]').first().waitFor()
  // What was clicked a moment ago begins to load with the next frame.
  await page.evaluate(stillness)
  await page.locator('.mantine-Skeleton-root, .mantine-Loader-root').first().waitFor({ state: 'detached' })
}

/** Writes the page as a picture for people to look at, where `TOCSIN_PICTURES` names a folder: `<name>.png`. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['TOCSIN_PICTURES']
  if (folder === undefined) return
  const path = join(folder, `${name}.png`)
  await mkdir(dirname(path), { recursive: true })
  // A machine that has no time for it fails no test.
  await page.screenshot({ path, timeout: 5_000 }).catch(() => undefined)
}
