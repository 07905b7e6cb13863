/** `npm run pictures`: starts the demo and takes the screenshot of the documentation, in `docs/pictures/`. */
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { signIn } from '../support/page-server.ts'
import { callApi } from '../../support/server/start-server.ts'
import { killCommands, startTocsinCommand } from '../../support/server/run-tocsin.ts'
import { startBrowser, settled } from '../support/browser.ts'

const root = join(import.meta.dirname, '../../..')
const folder = join(root, 'docs/pictures')

/** A demo alert whose answer led to an isolation. */
const alert = 'demo-identity-3'

await promisify(execFile)(process.execPath, [join(root, 'server/web/build.ts')])
const browser = await startBrowser()
try {
  const said = await startTocsinCommand(['demo', '--keep']).hasPrinted(/press Ctrl-C/)
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? ''
  const key = /toc_\w{12}_[\w-]{43}/.exec(said)?.[0] ?? ''
  const { page } = browser
  await page.setViewportSize({ width: 1280, height: 760 })
  await page.goto(url)
  await signIn(page, key)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const { body } = await callApi(`${url}/api/runs?alert=${alert}`, { key })
  const [{ run_uuid: run }] = body.data
  await mkdir(folder, { recursive: true })
  await take(page, `${url}/runs/${run}?step=gather/intel`, 'run')
} finally {
  await browser.close()
  await killCommands()
}

async function take(page: Page, url: string, name: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(url)
  await settled(page)
  // The graph scrolls to its step.
  await page.waitForTimeout(1_000)
  await page.evaluate('scrollTo(0, 0)')
  await page.screenshot({ path: join(folder, `${name}.png`) })
}
