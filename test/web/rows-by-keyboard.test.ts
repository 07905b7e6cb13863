import { expect } from 'chai'
import { openPage } from './support/open-page.ts'

describe('rows of a table by keyboard alone', function () {
  this.timeout(60_000)
  const opened = openPage()

  before(async () => {
    for (let n = 1; n <= 30; n++) await opened.postAlert('sign_in', `{"n":${n}}`)
  })

  const focused = (id: number) =>
    opened.page.locator('[role=row]:focus', { hasText: new RegExp(`MAIN-CUSTOM-\\s*${id}(?!\\d)`) }).waitFor()

  it('leads by the palette to a view, and back by escape', async () => {
    const { page, visit } = opened
    await visit('/health')
    await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder(/words of an alert/i).waitFor()
    await page.keyboard.press('Escape')
    await page.getByPlaceholder(/words of an alert/i).waitFor({ state: 'hidden' })
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder(/words of an alert/i).waitFor()
    await page.keyboard.type('alerts')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
  })

  it('walks through rows, far ones too, chooses them, and looks into one', async () => {
    const { page, visit } = opened
    await visit('/alerts')
    await page.getByRole('row', { name: 'MAIN-CUSTOM-30' }).waitFor()
    const atTable = page.locator('[role=row]:focus')
    for (let presses = 0; presses < 40 && (await atTable.count()) === 0; presses++)
      await page.keyboard.press('Tab')
    await focused(30)
    await page.keyboard.press('ArrowDown')
    await focused(29)
    await page.keyboard.press('End')
    await focused(1)
    await page.keyboard.press('Home')
    await focused(30)
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Investigate 1 again' }).waitFor()
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await focused(29)
    await page.keyboard.press('c')
    await page.getByRole('region', { name: 'Content of MAIN-CUSTOM-29' }).waitFor()
    await page.keyboard.press('Escape')
    await focused(29)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'MAIN-CUSTOM-29' }).waitFor()
  })

  it('opens the run of an alert, and shows its steps one after the other', async () => {
    const { page } = opened
    await page.getByRole('link', { name: 'investigate-sign-in-main' }).last().focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/runs\//)
    const row = page.locator('.waterfall-row').first()
    await row.focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/step=/)
    expect(await row.getAttribute('aria-pressed')).to.equal('true')
  })
})
