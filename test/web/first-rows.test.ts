import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { Route } from 'playwright-core'
import { loadPage } from '../../server/http/page/load-page.ts'
import { seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'
import { pageTimes, watchPage } from './support/watch-page.ts'

const dist = join(import.meta.dirname, '../../server/web/dist')

describe('first rows of the list of alerts', function () {
  this.timeout(60_000)
  const opened = openPage()

  before(async () => {
    for (let n = 0; n < 40; n++) await opened.postAlert('sign_in', `{"n":${n}}`)
    await watchPage(opened.page)
  })

  it('need at most 240 KB of compressed scripts in few requests', async () => {
    const { page, visit } = opened
    const files = (await loadPage(dist))?.files
    const sent = new Map<string, Buffer | undefined>()
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.endsWith('.js')) sent.set(pathname, files?.get(pathname)?.bytes)
    })
    await visit('/alerts')
    await page.getByRole('row', { name: 'MAIN-CUSTOM-40' }).waitFor()
    const { requests } = await pageTimes(page)
    const bytes = [...sent.values()].reduce(
      (sum, file) => sum + (file === undefined ? Infinity : gzipSync(file).length),
      0,
    )
    expect(sent.size).to.be.greaterThan(0)
    expect(bytes, [...sent.keys()].join(', ')).to.be.at.most(240_000)
    expect(requests).to.be.at.most(25)
  })

  it('do not move when other rows arrive', async () => {
    const { page, visit, postAlert } = opened
    await visit('/alerts')
    await page.getByRole('row', { name: 'MAIN-CUSTOM-40' }).waitFor()
    await page.waitForLoadState('networkidle')
    expect(await pageTimes(page)).to.deep.include({ moved: [] })
    await page.evaluate(`document.querySelector('.data-table').scrollTo(0, 400)`)
    const read = page.getByRole('row', { name: 'MAIN-CUSTOM-20', exact: false }).first()
    const place = await read.boundingBox()
    for (let n = 0; n < 5; n++) await postAlert('sign_in', `{"later":${n}}`)
    await page.getByText('45', { exact: true }).waitFor()
    await page.waitForTimeout(300)
    expect((await pageTimes(page)).layoutShift).to.be.below(0.1)
    expect(await read.boundingBox()).to.deep.equal(place)
    expect(await seriousFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: '5 new above' }).click()
    await page.getByRole('row', { name: 'MAIN-CUSTOM-45' }).waitFor()
  })

  it('stay when too many rows arrive at once, until these are requested', async () => {
    const { page, visit, postAlert } = opened
    await visit('/alerts')
    await page.getByRole('row', { name: 'MAIN-CUSTOM-45' }).waitFor()
    await page.evaluate(`document.querySelector('.data-table').scrollTo(0, 400)`)
    const read = page.getByRole('row', { name: 'MAIN-CUSTOM-30', exact: false }).first()
    const place = await read.boundingBox()
    let asked = 0
    let isReal = false
    const others = async (route: Route): Promise<void> => {
      if (isReal) return await route.continue()
      const call = ++asked
      const url = new URL(route.request().url())
      url.searchParams.delete('cursor')
      const response = await route.fetch({ url: url.href })
      const { data } = (await response.json()) as { readonly data: readonly object[] }
      const rows = data.map((alert, index) => ({
        ...alert,
        alert_id: `OTHER-CUSTOM-${call * 1_000 + index}`,
      }))
      await route.fulfill({ response, json: { data: rows, next_cursor: 'more', total: 5_000 } })
    }
    await page.route(/\/api\/alerts\?/, others)
    await postAlert('sign_in', '{"later":5}')
    const button = page.getByRole('button', { name: /\d\+ new above/ })
    await button.waitFor()
    expect(await read.boundingBox()).to.deep.equal(place)
    // A refresh between both would already bring the real rows.
    isReal = true
    await button.dispatchEvent('click')
    await page.getByRole('row', { name: 'MAIN-CUSTOM-46' }).waitFor()
    expect(await button.count()).to.equal(0)
    await page.mouse.move(0, 0)
    await page.evaluate('document.activeElement.blur()')
    isReal = false
    await postAlert('sign_in', '{"later":6}')
    await page
      .getByRole('row', { name: /OTHER-CUSTOM/ })
      .first()
      .waitFor()
    await page.unroute(/\/api\/alerts\?/, others)
  })
})
