import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import axe from 'axe-core'
import { chromium as playwright, type Browser, type Page } from 'playwright-core'
import { browserArguments, unpackedBrowser } from './unpacked-browser.ts'

/** Pages are written here for people to look at. */
const pictures = process.env['TOCSIN_PICTURES'] ?? join(import.meta.dirname, '../../../.build/pictures')

export interface BrowserPage {
  readonly page: Page
  /** What must not have happened: dialogs, refusals by the content security policy, errors in the page. */
  readonly alarms: readonly string[]
  /** Another page of the same browser, with the same session. */
  newPage(): Promise<Page>
  close(): Promise<void>
}

/** The browser that the development packages bring. Undefined, with the reason in the output, where it cannot be started. */
export async function openBrowser(): Promise<BrowserPage | undefined> {
  let browser: Browser
  try {
    browser = await playwright.launch({
      executablePath: await unpackedBrowser(),
      args: browserArguments(),
      headless: true,
    })
  } catch (error) {
    const [reason] = String(error).split('\n')
    process.stdout.write(`\n  The page is not tested: no browser can be started here (${reason}).\n`)
    return undefined
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
    close: () => browser.close(),
  }
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

/** Writes the page as a picture for people to look at: `.build/pictures/<name>.png`, or into the folder that `TOCSIN_PICTURES` names. */
export async function picture(page: Page, name: string): Promise<void> {
  const path = join(pictures, `${name}.png`)
  await mkdir(dirname(path), { recursive: true })
  // A machine that has no time for it fails no test.
  await page.screenshot({ path, timeout: 5_000 }).catch(() => undefined)
}
