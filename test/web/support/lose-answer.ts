import type { Page } from 'playwright-core'

/** The next answer to a request of this address is lost: a proxy answers 502, although the server did it. */
export const loseAnswer = (page: Page, address: string): Promise<unknown> =>
  page.route(
    address,
    async (route) => {
      await route.fetch()
      await route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' })
    },
    { times: 1 },
  )
