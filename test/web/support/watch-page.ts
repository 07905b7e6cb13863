import type { Page } from 'playwright-core'

/** Measurements of a page since it was opened, in milliseconds. */
export interface PageTimes {
  /** First text or picture. */
  readonly firstPaint: number
  /** First visible row of a table; 0: none yet. */
  readonly firstRow: number
  /** Requests started before that, including the page itself. */
  readonly requests: number
  /** Sum of the layout shifts without user input. */
  readonly layoutShift: number
  /** The moved elements, for messages. */
  readonly moved: readonly string[]
  /** Tasks of more than 50 ms. */
  readonly longTasks: readonly number[]
}

/** Runs in the page before its own scripts. */
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

/** Measures every page opened from now on. */
export async function watchPage(page: Page): Promise<void> {
  await page.addInitScript(watcher)
}

/** The measurements since the page was opened. */
export async function pageTimes(page: Page): Promise<PageTimes> {
  return (await page.evaluate(reader)) as PageTimes
}
