import { expect } from 'chai'
import { openPage } from './support/open-page.ts'
import { hasValue } from './support/has-value.ts'

describe('rows of a table by keyboard alone', function () {
  this.timeout(60_000)
  const opened = openPage()

  before(async () => {
    for (let n = 1; n <= 60; n++) await opened.postAlert('sign_in', `{"n":${n}}`)
  })

  const grid = "document.querySelector('[role=grid]')"
  const focused = (id: number) =>
    opened.page.locator('[role=row]:focus', { hasText: new RegExp(`MAIN-CUSTOM-\\s*${id}(?!\\d)`) }).waitFor()

  it('opens a view by the palette, and closes it by Escape', async () => {
    const { page, visit } = opened
    await visit('/health')
    await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder(/words of an alert/i).waitFor()
    await page.keyboard.press('Escape')
    await page.getByPlaceholder(/words of an alert/i).waitFor({ state: 'hidden' })
    await page.keyboard.press('Control+k')
    await page.locator('input[aria-label="Search or jump to"]:focus').waitFor()
    await page.keyboard.type('alerts')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
  })

  it('moves through rows, selects them, and opens one', async () => {
    const { page, visit } = opened
    await visit('/alerts')
    await page.getByRole('row', { name: 'MAIN-CUSTOM-60' }).waitFor()
    const atTable = page.locator('[role=row]:focus')
    for (let presses = 0; presses < 40 && (await atTable.count()) === 0; presses++)
      await page.keyboard.press('Tab')
    await focused(60)
    await page.keyboard.press('ArrowDown')
    await focused(59)
    await page.keyboard.press('End')
    await focused(1)
    await page.keyboard.press('Home')
    await focused(60)
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Investigate 1 again' }).waitFor()
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await focused(59)
    await page.keyboard.press('c')
    await page.getByRole('region', { name: 'Content of MAIN-CUSTOM-59' }).waitFor()
    await page.keyboard.press('Escape')
    await focused(59)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'MAIN-CUSTOM-59' }).waitFor()
  })

  it('moves with j and k from anywhere, selects with x, and lists these keys', async () => {
    const { page, visit } = opened
    await visit('/alerts')
    await page.getByRole('row', { name: 'MAIN-CUSTOM-60' }).waitFor()
    await page.keyboard.press('j')
    await focused(60)
    await page.keyboard.press('j')
    await focused(59)
    await page.keyboard.press('x')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Shift+X')
    await page.getByRole('button', { name: 'Investigate 3 again' }).waitFor()
    await page.keyboard.press('k')
    await focused(58)
    await page.keyboard.press('Shift+?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await help.getByRole('row', { name: /^Select x/ }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })
    await focused(58)
  })

  it('goes to another view with g and a letter, also if the list knows that letter', async () => {
    const { page, visit } = opened
    await visit('/alerts')
    await page.getByRole('row', { name: 'MAIN-CUSTOM-60' }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await focused(59)
    await page.keyboard.press('g')
    await page.keyboard.press('k')
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
  })

  it('keeps letters that are typed into a field', async () => {
    const { page, visit } = opened
    await visit('/alerts')
    await page.getByLabel('Search alerts').fill('')
    await page.getByLabel('Search alerts').pressSequentially('jkx')
    await hasValue(page.getByLabel('Search alerts'), 'jkx')
  })

  it('keeps the focused row after scrolling', async () => {
    const { page, visit } = opened
    await visit('/alerts')
    await page.locator('[data-index="2"]').focus()
    await page.keyboard.press('PageDown')
    const left = page.locator('[role=row]:focus')
    const place = await left.getAttribute('data-index')
    expect(Number(place)).to.be.greaterThan(8)
    await page.evaluate(`${grid}.scrollTop = ${grid}.scrollHeight`)
    await page.locator('[data-index="59"]').waitFor()
    await page.getByLabel('Alert name').focus()
    for (let presses = 0; presses < 40 && (await left.count()) === 0; presses++)
      await page.keyboard.press('Tab')
    expect(await left.getAttribute('data-index')).to.equal(place)
  })

  it('restores the scroll position after Back', async () => {
    const { page, visit } = opened
    await visit('/health')
    await page.getByRole('link', { name: 'Alerts' }).first().click()
    await page.getByRole('row', { name: 'MAIN-CUSTOM-60' }).waitFor()
    await page.evaluate(`${grid}.scrollTop = 1200`)
    while ((await page.evaluate('history.state?.scrollTop')) !== 1_200) await page.waitForTimeout(50)
    await page.getByRole('link', { name: 'MAIN-CUSTOM-25', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'MAIN-CUSTOM-25' }).waitFor()
    await page.goBack()
    await page.getByRole('row', { name: 'MAIN-CUSTOM-25' }).waitFor()
    expect(await page.evaluate(`${grid}.scrollTop`)).to.equal(1_200)
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor()
  })

  it('opens the run of an alert and steps through it', async () => {
    const { page, visit } = opened
    await visit('/alerts/main-custom-59')
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
