/**
 * `npm run pictures`: makes the pictures of the documentation anew, in `docs/pictures/`: starts the demo, signs in, and takes them.
 */
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { callApi } from '../../cli/support/start-server.ts'
import { killCommands, startTocsinCommand } from '../../cli/support/run-tocsin.ts'
import { startBrowser, settled } from '../support/browser.ts'

const root = join(import.meta.dirname, '../../..')
const folder = join(root, 'docs/pictures')

/** What is shown: an answer of the demo that led to an isolation, and the case of it. */
const alert = 'demo-identity-3'

await promisify(execFile)(process.execPath, [join(root, 'server/web/build.ts')])
const browser = await startBrowser()
try {
  const said = await startTocsinCommand(['demo', '--keep']).hasPrinted(/Ctrl-C or/)
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? ''
  const key = /toc_\w{12}_[\w-]{43}/.exec(said)?.[0] ?? ''
  const { page } = browser
  await page.setViewportSize({ width: 1280, height: 760 })
  await page.goto(url)
  await page.getByLabel('API key').first().fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1 }).waitFor()
  const { body } = await callApi(`${url}/api/runs?alert=${alert}`, { key })
  const [{ run_uuid: run, case_id: found }] = body.data
  await mkdir(folder, { recursive: true })
  await take(page, `${url}/runs/${run}?step=gather/intel`, 'run', 'light')
  await take(page, `${url}/cases/${found}`, 'case', 'dark')
} finally {
  await browser.close()
  await killCommands()
}

async function take(page: Page, url: string, name: string, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.goto(url)
  await settled(page)
  // The graph turns to its step.
  await page.waitForTimeout(1_000)
  await page.evaluate('scrollTo(0, 0)')
  await page.screenshot({ path: join(folder, `${name}.png`) })
}
