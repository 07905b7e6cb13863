import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import chromium from '@sparticuz/chromium'
import axe from 'axe-core'
import { chromium as playwright, type Browser, type Page } from 'playwright-core'
import { makeTemporaryFolder } from '../../support/temporary-folder.ts'

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

/** What the package sets for speed alone: pages are tested in a browser that keeps the rules of the web. */
const isLax = (argument: string): boolean =>
  /web-security|insecure-content|site-isolation|IsolateOrigins|single-process|no-zygote/.test(argument)

/** The browser that the development packages bring. Undefined, with the reason in the output, where it cannot be started. */
export async function openBrowser(): Promise<BrowserPage | undefined> {
  const folder = await makeTemporaryFolder()
  let browser: Browser
  try {
    browser = await playwright.launch({
      executablePath: await unpackedIn(folder.path),
      args: chromium.args.filter((argument) => !isLax(argument)),
      headless: true,
    })
  } catch (error) {
    await folder.remove()
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
    async close() {
      await browser.close()
      await folder.remove()
    },
  }
}

/** The package unpacks the browser into the temporary folder of the process, and leaves it there. */
async function unpackedIn(folder: string): Promise<string> {
  const usual = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  try {
    return await chromium.executablePath()
  } finally {
    if (usual === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = usual
  }
}

/** What axe finds serious or worse in the page as it is, each with where. */
export async function seriousFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate(async () => {
    const { axe: loaded } = globalThis as unknown as { axe: typeof axe }
    const { violations } = await loaded.run()
    return violations.flatMap(({ id, impact, nodes }) =>
      impact === 'serious' || impact === 'critical'
        ? nodes.map(({ html }) => `${id}: ${html.slice(0, 300)}`)
        : [],
    )
  })
  return found
}

/** Waits until nothing in the page is on its way any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('#view h1, [role=alert]').first().waitFor()
  await page.locator('.mantine-Skeleton-root, .mantine-Loader-root').first().waitFor({ state: 'detached' })
}

/** Writes the page as a picture for people to look at: `.build/pictures/<name>.png`, or into the folder that `TOCSIN_PICTURES` names. */
export async function picture(page: Page, name: string): Promise<void> {
  const path = join(pictures, `${name}.png`)
  await mkdir(dirname(path), { recursive: true })
  // A machine that has no time for it fails no test.
  await page.screenshot({ path, timeout: 5_000 }).catch(() => undefined)
}
