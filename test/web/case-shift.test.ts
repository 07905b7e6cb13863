import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

/** Label or text of the focused element. */
const focused = `(() => {
  const { activeElement: found } = document
  return found.getAttribute('aria-label') ?? (found === document.body ? 'nothing' : found.innerText)
})()`

describe('work on one case', function () {
  this.timeout(60_000)
  const house = openPage()
  let clicks = 0
  let opened = 0

  before(async () => {
    await house.page.exposeFunction('countClick', () => void clicks++)
    await house.page.addInitScript(
      `addEventListener('click', ({ isTrusted, detail }) => isTrusted && detail > 0 && countClick(), { capture: true })`,
    )
  })

  const openCase = async (): Promise<string> => {
    const { body } = await house.server.call(`/alerts/${await house.postAlert(`odd-${opened++}`)}`)
    await house.visit(`/cases/${body.case_id}`)
    await house.page.getByRole('button', { name: 'Assign to me' }).waitFor()
    return `/cases/${body.case_id}`
  }
  const focusIs = (name: string) =>
    eventually(`the focus on ${name}`, async () => (await house.page.evaluate(focused)) === name || undefined)

  it('keeps the focus: assign, write a note and close by keyboard alone', async () => {
    const { page, server } = house
    const path = await openCase()
    await page.getByRole('button', { name: 'Assign to me' }).focus()
    await page.keyboard.press('Enter')
    await focusIs('Close …')
    await page.getByLabel('Note').focus()
    await page.keyboard.type('Allowed')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Preview' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.locator('[data-kind="note"]').getByText('Allowed').waitFor()
    await focusIs('Note')
    await page.getByRole('button', { name: 'Close …' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: /^Close MAIN-/ })
    await dialog.waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'case-close')
    const radio = dialog.getByRole('radio', { name: 'True positive' }).and(page.locator(':focus'))
    for (let presses = 0; presses < 5 && (await radio.count()) === 0; presses++)
      await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowDown')
    for (let presses = 0; presses < 5; presses++) {
      if ((await page.evaluate(focused)) === 'Close case') break
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText(/status is now closed/i).waitFor()
    expect((await server.call(path)).body).to.include({ status: 'closed', assignee: 'bootstrap' })
  })

  it('takes one click to assign, and three to close', async () => {
    const { page, server } = house
    const path = await openCase()
    clicks = 0
    await page.getByRole('button', { name: 'Assign to me' }).click()
    await page.getByText(/assignee is now bootstrap/i).waitFor()
    expect(clicks).to.equal(1)
    await page.getByRole('button', { name: 'Close …' }).click()
    await page.getByRole('radio', { name: 'False positive' }).click()
    await page.getByRole('button', { name: 'Close case' }).click()
    await page.getByText(/status is now closed/i).waitFor()
    expect(clicks).to.equal(4)
    expect((await server.call(path)).body.closing_reason).to.equal('false_positive')
    expect(await page.getByRole('button', { name: 'Close …' }).count()).to.equal(0)
  })

  it('shows decisions before findings and alerts on a phone, and beside them on a large screen', async () => {
    const { page } = house
    const size = page.viewportSize()!
    const topOf = async (name: string): Promise<number> =>
      (await page.getByRole('heading', { name }).boundingBox())?.y ?? NaN
    await openCase()
    await page.setViewportSize({ width: 375, height: 800 })
    expect(await topOf('Decisions')).to.be.below(await topOf('Summary'))
    expect(await topOf('Timeline')).to.be.above(await topOf('Alerts'))
    await page.setViewportSize({ width: 1440, height: 900 })
    expect(await topOf('Decisions')).to.be.closeTo(await topOf('Summary'), 5)
    await page.setViewportSize(size)
  })
})
