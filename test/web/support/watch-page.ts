import type { Page } from 'playwright-core'

/** What a page went through since it was opened; times in milliseconds since then. */
export interface PageTimes {
  /** First text or picture. */
  readonly firstPaint: number
  /** First row of a table in sight; 0: none yet. */
  readonly firstRow: number
  /** Requests begun before that, the page itself among them. */
  readonly requests: number
  /** Sum of the layout shifts that no click or key caused. */
  readonly layoutShift: number
  /** What moved, for a message. */
  readonly moved: readonly string[]
  /** Tasks of more than 50 ms. */
  readonly longTasks: readonly number[]
}

/** Runs in the page, before anything of it does. */
const watcher = `(() => {
  const seen = { firstRow: 0, layoutShift: 0, moved: [], longTasks: [] }
  globalThis.watched = seen
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue
      seen.layoutShift += entry.value
      for (const { node } of entry.sources) seen.moved.push(node?.outerHTML?.slice(0, 120) ?? String(node?.nodeName))
    }
  }).observe({ type: 'layout-shift', buffered: true })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.longTasks.push(Math.round(entry.duration))
  }).observe({ type: 'longtask', buffered: true })
  const look = () => {
    if (document.querySelector('.data-table-row[data-index]') === null) return requestAnimationFrame(look)
    // The frame in which it is there has been drawn when the next one begins.
    requestAnimationFrame(() => { seen.firstRow = performance.now() })
  }
  requestAnimationFrame(look)
})()`

const reader = `(() => {
  const [paint] = performance.getEntriesByName('first-contentful-paint')
  const begun = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  return {
    ...watched,
    firstPaint: paint?.startTime ?? 0,
    requests: begun.filter(({ startTime }) => startTime < watched.firstRow).length,
  }
})()`

/** Has every page that is opened from now on watched. */
export async function watchPage(page: Page): Promise<void> {
  await page.addInitScript(watcher)
}

/** What was seen since the page was opened. */
export async function pageTimes(page: Page): Promise<PageTimes> {
  return (await page.evaluate(reader)) as PageTimes
}
