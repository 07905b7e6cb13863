import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { seriousFaults, settled } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

const shipped = join(import.meta.dirname, '../../playbooks/impossible-travel.yaml')
const long = (await readFile(shipped, 'utf8')).replace(/^name: .*/m, 'name: long')

const quick = `apiVersion: tocsin/v1
name: quick
on: { alert: { type: seen } }
steps:
  - set: { n: 1 }
`

describe('layout of the page', function () {
  this.timeout(90_000)
  const house = openPage({ quick, long })
  const phone = { width: 360, height: 740 }

  before(() => house.postAlert('seen'))
  afterEach(async () => {
    const { page } = house
    await page.setViewportSize({ width: 1280, height: 860 })
    await page.emulateMedia({ colorScheme: 'light' })
  })

  for (const path of ['/playbooks/quick', '/playbooks/long', '/playbooks/new', '/cases/main-1', '/playbooks'])
    it(`fits a phone: ${path}`, async () => {
      const { page } = house
      await page.setViewportSize(phone)
      await house.visit(path)
      await settled(page)
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(phone.width)
    })

  it('fits all buttons of an edited playbook on a phone', async () => {
    const { page } = house
    await page.setViewportSize(phone)
    await house.visit('/playbooks/quick')
    await settled(page)
    await page.locator('.cm-content').click()
    await page.keyboard.type('#')
    await page.getByRole('button', { name: 'Show changes' }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(phone.width)
    await page.keyboard.press('Backspace')
    await page.getByRole('button', { name: 'Show changes' }).waitFor({ state: 'detached' })
  })

  it('shows the button for selected alerts above the filters on a phone', async () => {
    const { page } = house
    await page.setViewportSize(phone)
    await house.visit('/alerts')
    await page.getByRole('checkbox').nth(1).click()
    const button = page.getByRole('button', { name: 'Investigate 1 again' })
    await button.waitFor()
    const [head, filter] = [await button.boundingBox(), await page.getByLabel('Search alerts').boundingBox()]
    expect((head?.y ?? 0) + (head?.height ?? 0)).to.be.at.most(filter?.y ?? 0)
  })

  it('keeps the line numbers of the editor beside their lines, also under reduced motion', async () => {
    const { page } = house
    await house.visit('/playbooks/long')
    await settled(page)
    const drifts = (await page.evaluate(`(() => {
      const tops = (selector) => [...document.querySelectorAll(selector)]
        .filter((element) => getComputedStyle(element).visibility !== 'hidden')
        .map((element) => Math.round(element.getBoundingClientRect().top))
      const lines = new Set(tops('.cm-line'))
      const numbers = tops('.cm-lineNumbers .cm-gutterElement')
      return { count: numbers.length, strays: numbers.filter((top) => !lines.has(top)) }
    })()`)) as { readonly count: number; readonly strays: readonly number[] }
    expect(drifts.count).to.be.above(20)
    expect(drifts.strays).to.deep.equal([])
    // Changes are measured at once, so transitions must be off.
    const duration = "getComputedStyle(document.querySelector('.cm-gutterElement')).transitionDuration"
    expect(await page.evaluate(duration)).to.equal('0s')
  })

  it('underlines links in the timeline, also in the dark theme', async () => {
    const { page } = house
    await page.emulateMedia({ colorScheme: 'dark' })
    await house.visit('/cases/main-1')
    await settled(page)
    await page.locator('.case-timeline a').first().waitFor()
    expect(await seriousFaults(page, ['color-contrast', 'link-in-text-block'])).to.deep.equal([])
  })
})
