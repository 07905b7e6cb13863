import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { picture, seriousFaults } from './support/browser.ts'
import { publish } from './support/publish.ts'
import { openSignedIn, type SignedIn } from './support/signed-in.ts'

const source = (name: string, value = 'begin') => `apiVersion: tocsin/v1
name: ${name}
on: { manual: true }
steps:
  - return: ${value}
`

describe('saving a playbook in the page', function () {
  this.timeout(60_000)
  let opened: SignedIn

  before(async function () {
    this.timeout(180_000)
    const found = await openSignedIn({ mine: source('mine'), other: source('other') })
    if (found === undefined) return this.skip()
    opened = found
  })
  after(() => opened?.close())
  afterEach(() => expect(opened.alarms).to.deep.equal([]))

  async function write(page: Page, text: string): Promise<void> {
    await page.getByLabel('Playbook source').click()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    await page.keyboard.insertText(text)
  }
  const stored = async (name: string) => (await opened.server.call(`/playbooks/${name}`)).body.source
  const saveButton = (page: Page) => page.getByRole('button', { name: 'Publish' })

  it('publishes a valid text with a reason', async () => {
    const page = await opened.visit('/playbooks/mine')
    await write(page, source('mine', '${{ nothing }}'))
    await page.locator('.cm-lintRange-error').waitFor()
    await page.getByText('Last valid version').waitFor()
    expect(await saveButton(page).isDisabled()).to.equal(true)
    await write(page, source('mine', 'by button'))
    await page.getByText('No problems').waitFor()
    await saveButton(page).click()
    const dialog = page.getByRole('dialog')
    const confirm = dialog.getByRole('button', { name: 'Publish' })
    expect(await confirm.isDisabled()).to.equal(true)
    await dialog.getByLabel('Reason').fill('   ')
    expect(await confirm.isDisabled()).to.equal(true)
    await dialog.locator('.cm-mergeView, .cm-content', { hasText: 'by button' }).first().waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'publish')
    await dialog.getByLabel('Reason').fill('by button')
    await confirm.click()
    await page.getByText('Published mine').waitFor()
    expect(await stored('mine')).to.equal(source('mine', 'by button'))
    const { body } = await opened.server.call('/playbooks/mine')
    expect(body.put_in_force_reason).to.equal('by button')
  })

  it('shows a conflict and overwrites on request', async () => {
    const page = await opened.visit('/playbooks/mine')
    await write(page, source('mine', 'of mine'))
    await page.getByText('No problems').waitFor()
    await opened.server.call('/playbooks/mine', {
      method: 'PUT',
      body: { source: source('mine', 'of theirs') },
      headers: { 'if-match': '*' },
    })
    await publish(page)
    await page.getByText('Someone else changed mine').waitFor()
    await page.locator('.cm-mergeView', { hasText: 'of theirs' }).waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'overtaken')
    expect(await stored('mine')).to.equal(source('mine', 'of theirs'))
    await page.getByRole('button', { name: 'Overwrite with mine' }).click()
    await page.getByText('Published mine').waitFor()
    expect(await stored('mine')).to.equal(source('mine', 'of mine'))
  })

  it('creates a playbook under a new name, but replaces no other', async () => {
    const page = await opened.visit('/playbooks/mine')
    await write(page, source('other', 'clash'))
    await publish(page, 'Save as other')
    await page.getByText('Playbook other already exists').waitFor()
    expect(await stored('other')).to.equal(source('other'))
    await write(page, source('third', 'a copy'))
    await publish(page, 'Save as third')
    await page.getByText('Published third').waitFor()
    expect(new URL(page.url()).pathname).to.equal('/playbooks/third')
    expect(await stored('mine')).to.equal(source('mine', 'of mine'))
  })

  it('restores an unsaved draft', async () => {
    const page = await opened.visit('/playbooks/other')
    await write(page, source('other', 'a thought'))
    await page.getByRole('link', { name: 'Runs' }).first().click()
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    await page.goBack()
    await page.getByText('Unsaved draft restored').waitFor()
    await page.locator('.cm-line', { hasText: 'a thought' }).waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.locator('.cm-line', { hasText: 'return: begin' }).waitFor()
    await page.getByRole('link', { name: 'Runs' }).first().click()
    await page.goBack()
    await page.locator('.cm-line', { hasText: 'return: begin' }).waitFor()
  })

  it('forgets an edit that was undone', async () => {
    const page = await opened.visit('/playbooks/other')
    await page.locator('.cm-line', { hasText: 'return: begin' }).click()
    await page.keyboard.press('End')
    await page.keyboard.type(' #')
    await page.waitForFunction(() => Object.keys(sessionStorage).some((key) => key.startsWith('draft')))
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Backspace')
    await page.getByRole('link', { name: 'Runs' }).first().click()
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    await page.goBack()
    await page.locator('.cm-line', { hasText: 'return: begin' }).waitFor()
    expect(await page.getByText('Unsaved draft restored').count()).to.equal(0)
    expect((await page.locator('.cm-content').innerText()).trimEnd()).to.equal(source('other').trimEnd())
  })

  it('waits for validation and never uses the name of another text', async () => {
    const page = await opened.visit('/playbooks/other')
    await page.getByText('No problems').waitFor()
    let isAway = true
    await page.route('**/playbooks/validate', (route) =>
      isAway ? route.fulfill({ status: 503, body: '' }) : route.continue(),
    )
    await write(page, source('fourth', 'not checked'))
    await page.getByText('Not checked').waitFor()
    expect(await page.getByText('No problems').count()).to.equal(0)
    expect(await saveButton(page).isDisabled()).to.equal(true)
    isAway = false
    await page.getByText('No problems').waitFor()
    await page.keyboard.insertText('# more\n')
    await publish(page, 'Save as fourth')
    await page.getByText('Published fourth').waitFor()
    expect(await stored('fourth')).to.equal(`${source('fourth', 'not checked')}# more\n`)
    expect(await stored('other')).to.equal(source('other'))
  })

  it('is not offered while the text is being checked', async () => {
    const page = await opened.visit('/playbooks/other')
    await page.getByText('No problems').waitFor()
    const held = Promise.withResolvers<undefined>()
    await page.route('**/playbooks/validate', async (route) => {
      await held.promise
      await route.continue()
    })
    await write(page, 'garbage [')
    await page.getByText('Checking …').waitFor()
    expect(await page.getByText('No problems').count()).to.equal(0)
    expect(await saveButton(page).isDisabled()).to.equal(true)
    held.resolve(undefined)
    await page.locator('.problem-row').first().waitFor()
    await write(page, source('other'))
  })

  it('does not navigate after the user has left', async () => {
    const page = await opened.visit('/playbooks/mine')
    await write(page, source('mine', 'and away'))
    await page.getByText('No problems').waitFor()
    const held = Promise.withResolvers<undefined>()
    await page.route('**/api/playbooks/mine', async (route) => {
      if (route.request().method() === 'PUT') await held.promise
      await route.continue()
    })
    await publish(page)
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Runs' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    held.resolve(undefined)
    await page.getByText('Published mine').waitFor()
    await page.waitForTimeout(200)
    expect(new URL(page.url()).pathname).to.equal('/runs')
    expect(await stored('mine')).to.equal(source('mine', 'and away'))
  })

  it('keeps text that is typed while saving', async () => {
    const page = await opened.visit('/playbooks/other')
    await page.getByText('No problems').waitFor()
    const held = Promise.withResolvers<undefined>()
    await page.route('**/playbooks/other', async (route) => {
      if (route.request().method() === 'PUT') await held.promise
      await route.continue()
    })
    await write(page, source('other', 'one'))
    const sent = page.waitForRequest((request) => request.method() === 'PUT')
    await publish(page)
    await sent
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator('.cm-content').focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.insertText('# two\n')
    held.resolve(undefined)
    await page.getByText('Published other').first().waitFor()
    await page.getByText('No problems').waitFor()
    await page.keyboard.insertText('# three\n')
    expect(await page.locator('.cm-content').innerText()).to.contain('# two\n# three')
    expect(await stored('other')).to.equal(source('other', 'one'))
    await page.waitForFunction(() =>
      Object.values(sessionStorage).some((kept) => String(kept).includes('# three')),
    )
    await publish(page)
    await page.waitForFunction(
      () => !Object.values(sessionStorage).some((kept) => String(kept).includes('# three')),
    )
    expect(await stored('other')).to.equal(`${source('other', 'one')}# two\n# three\n`)
  })
})
