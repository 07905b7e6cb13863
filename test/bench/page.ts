import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { signIn } from '../web/support/page-server.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { startBrowser } from '../web/support/browser.ts'
import { pageTimes, watchPage, type PageTimes } from '../web/support/watch-page.ts'
import { startChild } from './child.ts'
import { dataDirIn } from './five-steps.ts'
import { fill } from './fill.ts'
import { whole } from './measure.ts'
import type { Options } from './options.ts'
import { printTable } from './print-table.ts'
import { showPlainTable } from './plain-table.ts'
import { varyAlerts } from './vary-alerts.ts'

/** Lists with the queries that people use. */
const lists = {
  'newest first': '',
  'one organization': 'organization=acme',
  'failed ones of it': 'organization=acme&status=20',
  'one provider': 'provider=aws',
  'one name': 'type=mail_7',
  'by status': 'sort=-investigation_status',
  'by change': 'sort=-modified_at',
  'a rare word': 'q=beacon',
  'a word in all': 'q=event',
}

const framesScrolled = 1_000
const alertsLive = 100

/** The list of alerts in a browser with a growing number of stored alerts: load time and scrolling. */
export async function benchPage({ stored, rounds }: Options): Promise<void> {
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../server/web/build.ts')])
  const views: string[][] = []
  const answers: string[][] = Object.keys(lists).map((name) => [name])
  for (const count of stored) {
    const folder = await makeTemporaryFolder()
    const dataDir = dataDirIn(folder.path)
    const key = await fill(dataDir, 'none', { stored: count, waiting: 0 })
    varyAlerts(dataDir)
    await mkdir(join(folder.path, 'playbooks'))
    const server = await startChild<{ apiUrl: string }>('tocsin-server.ts', {
      TOCSIN_DATA_DIR: dataDir,
      TOCSIN_PLAYBOOKS_DIR: join(folder.path, 'playbooks'),
    })
    try {
      const { apiUrl } = server.said
      for (const [index, query] of Object.values(lists).entries())
        answers[index]?.push(await answerTimes(`${apiUrl}/alerts?limit=100&content=preview&${query}`, key))
      views.push([whole(count), ...(await viewTimes(apiUrl, key, rounds))])
    } finally {
      await server.stop()
      await folder.remove()
    }
  }
  const title = `Page: the list of alerts in a browser, scrolled for ${whole(framesScrolled)} frames, ${alertsLive} alerts arriving`
  const times = ['first paint ms', 'first rows ms', 'requests', 'layout shift', 'long tasks']
  const scrolled = [
    'rows passed',
    'frames late %',
    'of a plain table',
    'longest frame ms',
    'of the plain table',
    'longest task ms',
    'shift of arrivals',
  ]
  printTable(title, ['stored', ...times, ...scrolled], views)
  const asked = 'Page: GET alerts, 100 rows with previews, in ms: the first time, and after that'
  printTable(asked, ['', ...stored.map(whole)], answers)
}

async function answerTimes(url: string, key: string): Promise<string> {
  const times: number[] = []
  for (let time = 0; time < 6; time++) {
    const began = performance.now()
    const response = await fetch(url, { headers: { cookie: `Session=${key}` } })
    await response.text()
    if (!response.ok) throw new Error(`${url}: ${response.status}`)
    times.push(performance.now() - began)
  }
  const [first = 0, ...others] = times
  return `${first.toFixed(0)}, ${Math.min(...others).toFixed(0)}`
}

async function viewTimes(apiUrl: string, key: string, rounds: number): Promise<readonly string[]> {
  const browser = await startBrowser()
  const { page } = browser
  try {
    const { origin } = new URL(apiUrl)
    await page.goto(`${origin}/health`)
    await signIn(page, key)
    await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor()
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
    await watchPage(page)
    let loaded = await loadTimes(page, `${origin}/alerts`)
    for (let round = 1; round < rounds; round++) {
      const again = await loadTimes(page, `${origin}/alerts`)
      if (again.firstRow < loaded.firstRow) loaded = again
    }
    const before = await pageTimes(page)
    const { frames, rows } = await scrollThrough(page)
    const after = await pageTimes(page)
    const plain = await browser.newPage()
    await showPlainTable(plain, apiUrl, key, rows)
    const ours = [frames]
    const plainly: (readonly number[])[] = []
    // In turns, because the load of the machine varies more than the compared times.
    for (let round = 0; round < rounds; round++) {
      await plain.bringToFront()
      plainly.push((await scrollThrough(plain)).frames)
      await page.bringToFront()
      ours.push((await scrollThrough(page)).frames)
    }
    await plain.close()
    await page.evaluate(`document.querySelector('.data-table').scrollTo(0, 400)`)
    await arrive(apiUrl, key)
    await page.waitForTimeout(3_000)
    const { layoutShift } = await pageTimes(page)
    const during = after.longTasks.slice(before.longTasks.length)
    return [
      loaded.firstPaint.toFixed(0),
      loaded.firstRow.toFixed(0),
      String(loaded.requests),
      loaded.layoutShift.toFixed(3),
      String(loaded.longTasks.length),
      whole(rows),
      range(ours.map(lateShare)),
      range(plainly.map(lateShare)),
      range(ours.map(longest)),
      range(plainly.map(longest)),
      String(Math.max(0, ...during)),
      (layoutShift - after.layoutShift).toFixed(3),
    ]
  } finally {
    await browser.close()
  }
}

/** Percentage of frames that took longer than two frames at 60 Hz. */
const lateShare = (frames: readonly number[]): number =>
  (100 * frames.filter((ms) => ms > 34).length) / frames.length

const longest = (frames: readonly number[]): number => Math.max(...frames)

const range = (values: readonly number[]): string =>
  `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`

async function loadTimes(page: Page, url: string): Promise<PageTimes> {
  await page.goto(url)
  await page.locator('.data-table-row[data-index]').first().waitFor()
  await page.waitForLoadState('networkidle')
  return await pageTimes(page)
}

interface Scrolled {
  /** Milliseconds between frames. */
  readonly frames: readonly number[]
  readonly rows: number
}

/** Scrolls by three rows per frame, faster than anyone reads. */
async function scrollThrough(page: Page): Promise<Scrolled> {
  const script = `new Promise((resolve) => {
    const table = document.querySelector('.data-table')
    table.scrollTop = 0
    const frames = []
    let last = performance.now()
    const step = (now) => {
      frames.push(now - last)
      last = now
      table.scrollBy(0, 120)
      if (frames.length < ${framesScrolled}) requestAnimationFrame(step)
      else resolve({ frames, rows: Math.round(table.scrollTop / 40) })
    }
    requestAnimationFrame(step)
  })`
  return (await page.evaluate(script)) as Scrolled
}

async function arrive(apiUrl: string, key: string): Promise<void> {
  for (let n = 0; n < alertsLive; n++) {
    const body = { alert_provider: 'aws', organization_code: 'main', alert_content: `{"n":${n}}` }
    await fetch(`${apiUrl}/alerts`, {
      method: 'POST',
      headers: { cookie: `Session=${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  }
}
