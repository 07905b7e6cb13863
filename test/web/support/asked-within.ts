import type { Page } from 'playwright-core'

/**
 * The requests (paths) of the page during the work and this much virtual time after it. Call
 * `page.clock.install()` before.
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
  // All requests made before are reported before.
  await page.evaluate((path) => fetch(path), last)
  await told
  return asked
}
