import { expect } from 'chai'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

describe('list of alerts in a browser', function () {
  this.timeout(60_000)
  const opened = openPage()

  it('shows the columns of the specification in a window of 1280 pixels', async () => {
    const { page, visit, postAlert } = opened
    await postAlert('first', '{"user":"kim"}')
    await page.setViewportSize({ width: 1280, height: 860 })
    await visit('/alerts')
    const row = page.getByRole('row', { name: 'MAIN-CUSTOM-1' })
    await row.waitFor()
    const titles = await page.getByRole('columnheader').allInnerTexts()
    expect(titles.filter((title) => title !== '')).to.deep.equal([
      'ID',
      'ORG',
      'PROVIDER',
      'ALERT NAME',
      'STATUS',
      'CREATION TIME',
      'INVESTIGATOR',
      'CASE ID',
      'COMPLETION TIME',
      'Content',
    ])
    const beyond = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('[role=grid]'))`
    expect(await page.evaluate(beyond), 'pixels beyond the edge').to.equal(0)
    const cells = (await row.getByRole('gridcell').allInnerTexts()).map((text) => text.split('\n')[0])
    expect(cells.slice(1, 5)).to.deep.equal(['MAIN-CUSTOM-1', 'main', 'custom', 'first'])
    expect(cells.slice(5)).to.include.members(['Completed', 'MAIN-1', '{"user":"kim"}'])
  })

  it('shows case and completion time on a tablet, and a hint at more columns', async () => {
    const { page, visit } = opened
    await page.setViewportSize({ width: 820, height: 1180 })
    await visit('/alerts')
    await page.getByRole('row', { name: 'MAIN-CUSTOM-1' }).waitFor()
    await picture(page, 'alerts-tablet')
    const ends = `[...document.querySelectorAll('[role=columnheader]')]
      .filter(({ textContent }) => ['CASE ID', 'COMPLETION TIME'].includes(textContent))
      .map((head) => head.getBoundingClientRect().right <= document.querySelector('[role=grid]').getBoundingClientRect().right)`
    expect(await page.evaluate(ends), 'in sight').to.deep.equal([true, true])
    const titles = await page.getByRole('columnheader').allInnerTexts()
    expect(titles).to.include.members(['ORG', 'PROVIDER', 'Content'])
    await page.locator('.data-table-frame[data-more=true]').waitFor()
    await page.evaluate(`document.querySelector('[role=grid]').scrollTo(9_999, 0)`)
    await page.locator('.data-table-frame[data-more=false]').waitFor()
    await page.setViewportSize({ width: 1440, height: 860 })
    await page.getByRole('row', { name: 'MAIN-CUSTOM-1' }).waitFor()
    const widthOfCase = `[...document.querySelectorAll('[role=columnheader]')]
      .find(({ textContent }) => textContent === 'CASE ID').getBoundingClientRect().width`
    expect(await page.evaluate(widthOfCase), 'room for MAIN-1234').to.be.greaterThan(76)
    await picture(page, 'alerts-wide')
    await page.setViewportSize({ width: 1280, height: 860 })
  })

  it('opens the content drawer by keyboard, steps through alerts, and restores the focus', async () => {
    const { page, visit, postAlert } = opened
    await postAlert('second', '{"user":"ann","n":[1]}')
    await visit('/alerts')
    const row = page.getByRole('row', { name: 'MAIN-CUSTOM-2' })
    await row.focus()
    await page.keyboard.press('c')
    const content = (id: number) => page.getByRole('region', { name: `Content of MAIN-CUSTOM-${id}` })
    await content(2).getByText('"user": "ann"').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await page.keyboard.press('Enter')
    await content(1).getByText('"user": "kim"').waitFor()
    expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).to.equal(true)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(new URL(page.url()).pathname).to.equal('/alerts')
    await page.locator('[role=row]:focus', { hasText: 'MAIN-CUSTOM-2' }).waitFor()
  })

  it('shows a megabyte of content as one line, with invisible characters', async () => {
    const { page, visit, postAlert, server } = opened
    await postAlert('large', `start \u202Emoc <b>\n${'x'.repeat(900_000)}`)
    await visit('/alerts')
    await page.getByRole('row', { name: 'MAIN-CUSTOM-3' }).getByText('start ‹U+202E›moc <b> xxx').waitFor()
    const { body } = await server.call('/alerts?content=preview')
    expect(JSON.stringify(body).length).to.be.below(10_000)
  })

  it('shows where a search matches, as text', async () => {
    const { page, visit, postAlert } = opened
    const filler = 'x'.repeat(300)
    const id = await postAlert(
      'searched',
      JSON.stringify({ filler, password: 'needle', about: { host: '<b>needle-7</b>' } }),
    )
    await visit('/alerts?q=needle')
    const row = page.getByRole('row', { name: id.toUpperCase() })
    await row.locator('mark').waitFor()
    expect(await row.locator('.row-peek').innerText()).to.equal('about.host: <b>needle-7</b>')
    expect(await row.locator('mark').allInnerTexts()).to.deep.equal(['needle'])
    expect(await seriousFaults(page)).to.deep.equal([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await seriousFaults(page, ['color-contrast'])).to.deep.equal([])
    await page.emulateMedia({ colorScheme: 'light' })
  })
})
