import { expect } from 'chai'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { picture, settled } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

/** More elements than any view has on the way. */
const maxTabs = 150

describe('a case by keyboard alone', function () {
  this.timeout(90_000)
  const house = openPage({})
  let path: string
  let other: string

  before(async () => {
    const ids = []
    for (const type of ['strange_sign_in', 'odd_mail', 'odd_file'])
      ids.push(await house.postAlert(type, `{"type":"${type}"}`))
    const cases = []
    for (const id of ids) cases.push((await house.server.call(`/alerts/${id}`)).body.case_id)
    path = `/cases/${cases[0]}`
    other = cases[1]
  })

  const press = (key: string) => house.page.keyboard.press(key)
  const isFocused = async (target: Locator): Promise<boolean> =>
    (await target.and(house.page.locator(':focus')).count()) > 0
  const focused = () =>
    house.page.evaluate(
      `(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').slice(0, 80)`,
    )

  /** Presses Tab until the element has the focus. */
  async function tabTo(target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    await target.waitFor()
    for (let tabs = 0; tabs < maxTabs; tabs++) {
      if (await isFocused(target)) return
      await press(key)
    }
    throw new Error(`${String(target)} is not reached with Tab; the focus is on: ${String(await focused())}`)
  }
  const button = (name: string | RegExp) => house.page.getByRole('button', { name })
  const body = async () => (await house.server.call(path)).body

  /** The focus is where the person works on, not at the top of the page. */
  async function keepsFocus(target: Locator): Promise<void> {
    await eventually('the focus', async () => ((await isFocused(target)) ? true : undefined))
  }

  it('gets a task, which is done and opened again', async () => {
    const { page } = house
    await house.server.call(`${path}/tasks`, { method: 'POST', body: { title: 'Call Bert' } })
    await house.visit(path)
    await settled(page)
    await tabTo(button('Add task'))
    await press('Enter')
    await keepsFocus(page.getByLabel('Task', { exact: true }))
    await page.keyboard.type('Ask Kim')
    await tabTo(page.getByLabel('Due'))
    await page.keyboard.type('01022027')
    await press('Tab')
    await page.keyboard.type('0930AM')
    await press('Enter')
    await page.getByRole('checkbox', { name: /^Ask Kim/ }).waitFor()
    await keepsFocus(button('Add task'))
    // Moves below the other when it is done.
    const done = page.getByRole('checkbox', { name: /^Call Bert/ })
    await tabTo(done)
    await press('Space')
    await eventually('the task is done', async () => (await body()).tasks[0].done_at ?? undefined)
    await page.getByText(/done by/).waitFor()
    await keepsFocus(done)
    await press('Space')
    await page.getByText(/done by/).waitFor({ state: 'detached' })
    const [, task] = (await body()).tasks
    expect(task.title).to.equal('Ask Kim')
    expect(new Date(task.due_at).getFullYear()).to.equal(2027)
    await keepsFocus(done)
    await tabTo(button('Add task'), 'Shift+Tab')
    await press('Enter')
    await tabTo(page.getByRole('form').or(page.locator('form')).getByRole('button', { name: 'Discard' }))
    await press('Enter')
    await keepsFocus(button('Add task'))
  })

  it('gets a link, which is followed and removed', async () => {
    const { page } = house
    await house.visit(path)
    await settled(page)
    await tabTo(button('Link case'))
    await press('Enter')
    await keepsFocus(page.getByLabel('Case', { exact: true }))
    await page.keyboard.type(other)
    await tabTo(page.getByRole('combobox', { name: 'Kind' }), 'Shift+Tab')
    await press('ArrowDown')
    await press('ArrowDown')
    await press('Enter')
    await tabTo(page.getByRole('button', { name: 'Link', exact: true }))
    await press('Enter')
    const link = page.getByRole('link', { name: other.toUpperCase() }).first()
    await link.waitFor()
    await keepsFocus(button('Link case'))
    expect((await body()).links).to.have.lengthOf(1)
    await tabTo(link)
    await press('Enter')
    await page.getByRole('heading', { level: 1 }).getByText(other.toUpperCase()).waitFor()
    await press('Alt+ArrowLeft')
    await house.visit(path)
    await settled(page)
    await tabTo(button(`Remove the link with ${other.toUpperCase()}`))
    await press('Enter')
    await link.waitFor({ state: 'detached' })
    await keepsFocus(button('Link case'))
    expect((await body()).links).to.deep.equal([])
  })

  it('gets a file, which is saved and withdrawn', async () => {
    const { page } = house
    const folder = await makeTemporaryFolder()
    try {
      await mkdir(folder.path, { recursive: true })
      await writeFile(join(folder.path, 'mail.eml'), 'Subject: hello\n')
      await house.visit(path)
      await settled(page)
      // From here on the browser reports file choosers: asked together with the key, it may do so too late.
      const choosing = page.waitForEvent('filechooser', { timeout: 60_000 })
      choosing.catch(() => {})
      await tabTo(button('Attach files'))
      await press('Enter')
      const chooser = await choosing
      await chooser.setFiles(join(folder.path, 'mail.eml'))
      const file = page.getByRole('link', { name: 'mail.eml' })
      await file.waitFor()
      await tabTo(file)
      const [download] = await Promise.all([page.waitForEvent('download'), press('Enter')])
      expect(download.suggestedFilename()).to.include('mail')
      await tabTo(button('Withdraw mail.eml'))
      await press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Withdraw file' })
      await keepsFocus(dialog.getByLabel('Reason'))
      await page.keyboard.type('Wrong case')
      await tabTo(dialog.getByRole('button', { name: 'Withdraw' }))
      await press('Enter')
      await page.getByText(/^Withdrawn by .*Wrong case$/).waitFor()
      await dialog.waitFor({ state: 'detached' })
      await keepsFocus(button('Attach files'))
    } finally {
      await folder.remove()
    }
  })

  it('is read as a report and printed', async () => {
    const { page } = house
    await house.visit(path)
    await settled(page)
    await tabTo(page.getByRole('link', { name: 'Report' }))
    await press('Enter')
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.evaluate('globalThis.printed = 0; globalThis.print = () => globalThis.printed++')
    await tabTo(button('Print or save as PDF'))
    await press('Enter')
    expect(await page.evaluate('printed')).to.equal(1)
    await tabTo(page.getByRole('link', { name: 'Markdown' }))
    const [download] = await Promise.all([page.waitForEvent('download'), press('Enter')])
    expect(download.suggestedFilename()).to.match(/\.md$/)
    await tabTo(page.getByRole('link', { name: 'Case', exact: true }), 'Shift+Tab')
    await press('Enter')
    await button('Add task').waitFor()
  })

  it('is merged into another', async () => {
    const { page } = house
    await house.visit('/cases')
    await page.getByRole('row').nth(3).waitFor()
    for (const key of ['j', 'x', 'j', 'x']) await press(key)
    await page.getByText('2 selected').waitFor()
    await tabTo(button('Merge …'), 'Shift+Tab')
    await press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Merge cases' })
    const keep = dialog.getByRole('radio').first()
    await tabTo(keep)
    await press('ArrowDown')
    expect(await dialog.getByRole('radio').nth(1).isChecked()).to.equal(true)
    await picture(page, 'merge-by-keyboard')
    await tabTo(dialog.getByRole('button', { name: 'Merge 2 cases' }))
    await press('Enter')
    await button('Add task').waitFor()
  })
})
