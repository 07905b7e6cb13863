import { expect } from 'chai'
import { openPage } from './support/open-page.ts'

const asking = `apiVersion: tocsin/v1
name: asking
on: { alert: { type: ask } }
steps:
  - id: sure
    checkpoint:
      via: operator
      with: { message: Is this alert real? }
      answers: [yes, no]
      timeout: 1h
`

describe('lists of the page that stay open', function () {
  this.timeout(60_000)
  const house = openPage({ asking })

  const send = async (type: string): Promise<string> => {
    const { body } = await house.server.call('/alerts', {
      body: { alert_provider: 'custom', organization_code: 'main', alert_type: type, alert_content: '{}' },
    })
    return body.alert_id
  }

  /** Scrolls down until this row is visible. */
  const scrollTo = async (index: number): Promise<void> => {
    const { page } = house
    const grid = "document.querySelector('[role=grid]')"
    const row = page.locator(`[data-index="${index}"]`)
    while ((await row.count()) === 0) {
      await page.evaluate(`${grid}.scrollTop = ${grid}.scrollHeight`)
      await page.waitForTimeout(100)
    }
  }

  it('drop rows that no longer match', async () => {
    const { page, server } = house
    const id = await send('ask')
    await house.visit('/alerts?status=10')
    const row = page.getByRole('row', { name: id.toUpperCase() })
    await row.waitFor()
    const { body } = await server.call(`/runs?alert=${id}`)
    await server.call(`/runs/${body.data[0].run_uuid}/cancel`, { method: 'POST' })
    await row.waitFor({ state: 'detached' })
    await page.getByText('No matching alerts').waitFor()
  })

  it('keep the content drawer open when its row leaves', async () => {
    const { page, server } = house
    const id = await send('ask')
    await house.visit('/alerts?status=10')
    const row = page.getByRole('row', { name: id.toUpperCase() })
    await row.getByTitle('Show content').click()
    const content = page.getByRole('region', { name: `Content of ${id.toUpperCase()}` })
    await content.waitFor()
    const { body } = await server.call(`/runs?alert=${id}`)
    await server.call(`/runs/${body.data[0].run_uuid}/cancel`, { method: 'POST' })
    await page.locator('.data-table-row[data-index]').waitFor({ state: 'detached' })
    expect(await content.isVisible()).to.equal(true)
  })

  it('show new rows and drop deleted ones', async () => {
    const { page, server } = house
    await house.visit('/connections')
    await page.getByText('No connections yet').or(page.getByRole('grid')).first().waitFor()
    const settings = { base_url: 'https://tickets.example' }
    const made = await server.call('/connections', {
      body: { organization_code: 'main', name: 'tickets', plugin: 'http', settings },
    })
    const row = page.getByRole('row', { name: 'tickets' })
    await row.waitFor()
    await server.call(`/connections/${made.body.connection_uuid}`, { method: 'DELETE' })
    await row.waitFor({ state: 'detached' })
  })

  it('reload older pages', async () => {
    const { page, server } = house
    const old = await send('ask')
    for (let count = 0; count < 140; count++) await send('quiet')
    await house.visit('/alerts')
    const grid = "document.querySelector('[role=grid]')"
    await page.locator('[data-index="0"]').waitFor()
    const row = page.getByRole('row', { name: new RegExp(`${old}(?!\\d)`, 'i') })
    while ((await row.count()) === 0) {
      await page.evaluate(`${grid}.scrollTop = ${grid}.scrollHeight`)
      await page.waitForTimeout(100)
    }
    await row.getByText('InProgress').waitFor()
    const { body } = await server.call(`/runs?alert=${old}`)
    await server.call(`/runs/${body.data[0].run_uuid}/cancel`, { method: 'POST' })
    await row.getByText('Failed').waitFor()
  })

  it('retry a failed page on request only', async () => {
    const { page } = house
    let asked = 0
    for (let count = 0; count < 110; count++) await send('endless')
    await house.visit('/alerts?type=endless')
    await house.page.route(/cursor=/, async (route) => {
      asked++
      await route.fulfill({ status: 400, contentType: 'application/problem+json', body: '{}' })
    })
    await page.locator('[data-index="0"]').waitFor()
    const grid = "document.querySelector('[role=grid]')"
    await page.evaluate(`${grid}.scrollTop = ${grid}.scrollHeight`)
    await page.getByText('Could not load more rows').waitFor()
    await send('endless')
    await page.locator('.data-table[aria-rowcount="112"]').waitFor()
    expect(asked).to.equal(1)
    await page.unroute(/cursor=/)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Could not load more rows').waitFor({ state: 'detached' })
    await scrollTo(110)
  })

  it('have no gaps or duplicates when more rows arrive than a page holds', async () => {
    const { page } = house
    await house.visit('/alerts?type=flood')
    await page.getByText('No matching alerts').waitFor()
    await send('flood')
    await page.locator('[data-index="0"]').waitFor()
    await page.context().setOffline(true)
    for (let count = 0; count < 130; count++) await send('flood')
    await page.context().setOffline(false)
    await page.locator('.data-table[aria-rowcount="132"]').waitFor()
    await scrollTo(130)
  })
})
