import type { Page } from 'playwright-core'

/**
 * What the page asks the server for meanwhile, and within so much of its time after it, which passes at once: paths.
 * `page.clock.install()` comes before.
 */
export async function askedWithin(
  page: Page,
  ms: number,
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
): Promise<readonly string[]> {
  const asked: string[] = []
  const last = '/healthz?last'
  const told = page.waitForRequest((request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname + search === last) return true
    asked.push(pathname)
    return false
  })
  await meanwhile()
  await page.clock.runFor(ms)
  // Whatever was asked for before is told before.
  await page.evaluate((path) => fetch(path), last)
  await told
  return asked
}
