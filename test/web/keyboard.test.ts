import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { picture, seriousFaults, settled } from './support/browser.ts'
import { openPage } from './support/open-page.ts'
import { hasValue } from './support/has-value.ts'

const asking = `apiVersion: tocsin/v1
name: asking
on: { alert: { type: question } }
steps:
  - return: done
`

describe('keyboard in the page', function () {
  this.timeout(60_000)
  const house = openPage({ asking })

  before(async () => {
    await house.postAlert('strange_sign_in')
    await house.server.call('/connections', {
      body: {
        organization_code: 'main',
        name: 'tickets',
        plugin: 'http',
        settings: { base_url: 'https://tickets.example.com' },
      },
    })
  })

  const heading = (name: string) => house.page.getByRole('heading', { level: 1, name }).waitFor()
  /** Opens the palette, types, waits for results, and selects the first. */
  async function goTo(words: string, found: string): Promise<void> {
    const { page } = house
    await page.keyboard.press('Control+k')
    await page.locator('input:focus').waitFor()
    await page.keyboard.type(words)
    await page.getByRole('button', { name: found }).first().waitFor()
    for (let steps = 0; steps < 30; steps++) {
      // New results reset the selection.
      const chosen = await page.locator('[data-selected]').allInnerTexts()
      if (chosen[0]?.startsWith(found) === true) break
      await page.keyboard.press('ArrowDown')
    }
    await page.keyboard.press('Enter')
  }

  for (const [what, words, found, title] of [
    ['a view', 'heal', 'Health', 'Health'],
    ['an alert by its id', 'main-custom-1', 'Alert MAIN-CUSTOM-1', 'MAIN-CUSTOM-1'],
    ['a case by words', 'strange', 'MAIN-1', 'MAIN-1'],
    ['a playbook', 'askin', 'asking', 'asking'],
    ['the runs of a playbook', 'asking', 'Runs of asking', 'Runs'],
    ['a connection', 'tick', 'tickets', 'tickets'],
  ] as const) {
    it(`finds ${what} from anywhere`, async () => {
      await goTo(words, found)
      await heading(title)
    })
  }

  it('keeps what is typed before the search has loaded', async () => {
    const { page } = house
    await house.visit('/cases')
    await heading('Cases')
    await page.getByRole('row', { name: /MAIN-1 / }).waitFor()
    let release = (): void => undefined
    const loaded = new Promise<void>((resolve) => (release = resolve))
    await page.route(/palette.*\.js/, async (route) => {
      await loaded
      await route.continue()
    })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('gax')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('/jk')
    release()
    await page.locator('input:focus').waitFor()
    await page.keyboard.type(' more')
    await hasValue(page.locator('input:focus'), 'ga/jk more')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await heading('Cases')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('heal')
    await page.locator('input:focus').waitFor()
    await hasValue(page.locator('input:focus'), 'heal')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('opens views with two keys, except while typing', async () => {
    const { page } = house
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await heading('Cases')
    await page.getByLabel('Search cases').focus()
    await page.keyboard.type('gh?/')
    await hasValue(page.getByLabel('Search cases'), 'gh?/')
    expect(await page.getByRole('dialog').count()).to.equal(0)
    await heading('Cases')
  })

  it('lists its shortcuts and can turn off single keys', async () => {
    const { page } = house
    await page.getByRole('link', { name: 'Cases' }).click()
    await page.keyboard.press('Shift+?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await help.waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'shortcuts')
    await help.getByRole('switch', { name: 'Single-key shortcuts' }).focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })
    await page.keyboard.press('Shift+?')
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    expect(await help.count()).to.equal(0)
    await page.keyboard.press('Escape')
    await heading('Cases')
  })

  it('skips the navigation, and moves the focus to a new view', async () => {
    const { page } = house
    await house.visit('/cases')
    await heading('Cases')
    await page.keyboard.press('Tab')
    await page.getByRole('link', { name: 'Skip to content' }).focus()
    await page.keyboard.press('Enter')
    // Browsers follow a link within the page asynchronously.
    await page.locator('#view:focus').waitFor()
    // Buttons and the links to queues come first.
    const label = `document.activeElement.getAttribute('aria-label')`
    for (let stop = 0; stop < 12 && (await page.evaluate(label)) !== 'Search cases'; stop++)
      await page.keyboard.press('Tab')
    await page.keyboard.type('strange')
    await hasValue(page.getByLabel('Search cases'), 'strange')
    await page.getByRole('link', { name: 'Connections' }).focus()
    await page.keyboard.press('Enter')
    await heading('Connections')
    await page.locator('#view:focus').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await heading('New connection')
  })

  it('fits at 200 percent', async () => {
    const { page } = house
    await page.setViewportSize({ width: 640, height: 430 })
    const tooWide: string[] = []
    for (const path of ['/alerts', '/cases', '/cases/main-1', '/connections/new', '/health', '/keys']) {
      await house.visit(path)
      await settled(page)
      const width = await page.evaluate('document.documentElement.scrollWidth')
      if (Number(width) > 640) tooWide.push(`${path} ${String(width)}`)
    }
    expect(tooWide).to.deep.equal([])
  })

  for (const [what, path, ...names] of [
    ['its code is loaded on demand', '/organizations', 'Approvals of main'],
    ['it is open from the start', '/organizations', 'Rename'],
    ['it is opened from a menu', '/keys', 'Manage', 'Rotate'],
    ['it is a question', '/health', 'Pause all runs'],
  ] as const)
    it(`a dialog returns the focus to where it was if ${what}`, async () => {
      const { page } = house
      await house.visit(path)
      const [first = '', item] = names
      const opener = page.getByRole('button', { name: first }).first()
      await opener.press('Enter')
      if (item !== undefined) await page.getByRole('menuitem', { name: item }).press('Enter')
      await page.getByRole('dialog').locator(':focus').waitFor()
      await settled(page)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await eventually('the focus on the button', async () =>
        (await opener.and(page.locator(':focus')).count()) > 0 ? true : undefined,
      )
    })
})
