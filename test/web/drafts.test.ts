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

describe('drafts of playbooks in the page', function () {
  this.timeout(60_000)
  let opened: SignedIn
  let analyst: string
  let reader: string

  before(async function () {
    this.timeout(180_000)
    const found = await openSignedIn({
      mine: source('mine'),
      shared: source('shared'),
      late: source('late'),
      raced: source('raced'),
    })
    if (found === undefined) return this.skip()
    opened = found
    const key = async (role: string) =>
      (await opened.server.call('/keys', { body: { name: role, role } })).body.key as string
    analyst = await key('analyst')
    reader = await key('reader')
  })
  after(() => opened?.close())
  afterEach(() => expect(opened.alarms).to.deep.equal([]))

  async function write(page: Page, text: string): Promise<void> {
    await page.getByLabel('Playbook source').click()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    await page.keyboard.insertText(text)
  }
  const saved = async (name: string) => (await opened.server.call(`/playbooks/${name}/draft`)).body
  const put = (path: string, body: object, tag = '*') =>
    opened.server.call(path, { method: 'PUT', body, ...(tag !== '' && { headers: { 'if-match': tag } }) })

  it('are saved by Ctrl+S, also with errors, and published from their own address', async () => {
    const page = await opened.visit('/playbooks/mine')
    await write(page, 'name: mine\nsteps: [')
    await page.keyboard.press('Control+s')
    await page.getByText('Saved draft of mine').waitFor()
    expect((await saved('mine')).source).to.equal('name: mine\nsteps: [')
    expect(
      await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith('draft'))),
    ).to.deep.equal([])
    await write(page, source('mine', 'a draft'))
    await page.keyboard.press('Control+s')
    await page.getByRole('link', { name: 'Open the draft' }).click()
    await page.getByText('Saved by').waitFor()
    expect(new URL(page.url()).pathname).to.equal('/playbooks/mine/draft')
    await page.locator('.cm-line', { hasText: 'a draft' }).first().waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'draft')
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.getByRole('textbox', { name: 'Note' }).fill('<b>look</b> at the end')
    expect(await seriousFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Save note' }).click()
    await page.getByText('<b>look</b> at the end').waitFor()
    expect(await saved('mine')).to.include({
      note: '<b>look</b> at the end',
      source: source('mine', 'a draft'),
    })
    await page.getByText('No problems').waitFor()
    await write(page, source('mine', 'an edited draft'))
    await page.getByText('No problems').waitFor()
    await publish(page, 'Publish', 'it is ready')
    await page.getByText('Published mine').waitFor()
    expect(new URL(page.url()).pathname).to.equal('/playbooks/mine')
    const { body } = await opened.server.call('/playbooks/mine')
    expect(body).to.deep.include({
      source: source('mine', 'an edited draft'),
      put_in_force_reason: 'it is ready',
      draft: null,
    })
    await page.locator('.cm-line', { hasText: 'an edited draft' }).first().waitFor()
    await page.getByText('No problems').waitFor()
    expect(await page.getByText('Draft by').count()).to.equal(0)
  })

  it('of a new playbook are listed, and discarded after a question', async () => {
    const page = await opened.visit('/playbooks/new')
    await write(page, 'name: brand-new\n')
    await page.keyboard.press('Control+s')
    await page.getByText('Saved by').waitFor()
    expect(new URL(page.url()).pathname).to.equal('/playbooks/brand-new/draft')
    await page.getByRole('link', { name: 'Playbooks' }).first().click()
    await page.getByRole('button', { name: 'Drafts (1)' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('New', { exact: true }).waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'drafts')
    await dialog.getByRole('link', { name: 'brand-new' }).click()
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard draft' }).click()
    await page.getByRole('heading', { level: 1, name: 'Playbooks' }).waitFor()
    expect((await opened.server.call('/playbook-drafts')).body.data).to.deep.equal([])
  })

  it('say who saved one meanwhile, compare both, and lose neither', async () => {
    await put('/playbooks/raced/draft', { source: source('raced', 'first') }, '')
    const page = await opened.visit('/playbooks/raced/draft')
    await write(page, source('raced', 'of mine'))
    await put('/playbooks/raced/draft', { source: source('raced', 'of theirs') })
    await page.getByText('saved this draft').waitFor()
    await page.locator('.cm-line', { hasText: 'of mine' }).first().waitFor()
    await page.getByText('No problems').waitFor()
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText('A newer draft was saved').waitFor()
    await page.locator('.differences', { hasText: 'of theirs' }).waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'draft-conflict')
    expect((await saved('raced')).source).to.equal(source('raced', 'of theirs'))
    await page.getByRole('button', { name: 'Overwrite with mine' }).click()
    await page.getByText('Saved draft of raced').waitFor()
    expect((await saved('raced')).source).to.equal(source('raced', 'of mine'))
    await page.getByText('A newer draft was saved').waitFor({ state: 'detached' })
    // Without unsaved changes, the newest draft is shown.
    await put('/playbooks/raced/draft', { source: source('raced', 'of theirs again') })
    await page.locator('.cm-line', { hasText: 'of theirs again' }).first().waitFor()
    expect(await page.getByText('saved this draft').count()).to.equal(0)
  })

  it('show what was published since they began, and can be based on it', async () => {
    const { body: live } = await opened.server.call('/playbooks/late')
    await put('/playbooks/late/draft', { source: source('late', 'of the draft'), base_hash: live.hash }, '')
    await put('/playbooks/late', { source: source('late', 'published meanwhile'), reason: 'urgent' })
    const page = await opened.visit('/playbooks/late/draft')
    await page.getByText('The draft is outdated').waitFor()
    await page.getByText('urgent').waitFor()
    await page.locator('.differences', { hasText: 'published meanwhile' }).first().waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'draft-outdated')
    await page.getByRole('button', { name: 'Base on the live version' }).click()
    await page.getByText('The draft is outdated').waitFor({ state: 'detached' })
    await page.getByText('No problems').waitFor()
    await publish(page)
    await page.getByText('Published late').waitFor()
    expect((await opened.server.call('/playbooks/late')).body.source).to.equal(source('late', 'of the draft'))
  })

  it('are saved by analysts, who cannot publish them, and read by readers', async () => {
    await opened.signInAs(analyst)
    const page = await opened.visit('/playbooks/shared')
    await write(page, source('shared', 'proposed'))
    await page.keyboard.press('Control+s')
    await page.getByText('Saved draft of shared').waitFor()
    expect(await page.getByRole('button', { name: 'Publish' }).count()).to.equal(0)
    await opened.signInAs(reader)
    const other = await opened.visit('/playbooks/shared')
    await other.getByText('Draft by analyst').waitFor()
    await other.getByRole('link', { name: 'Open draft' }).click()
    await other.locator('.differences', { hasText: 'proposed' }).waitFor()
    expect(await other.getByRole('button', { name: 'Save draft' }).count()).to.equal(0)
    expect(await other.getByRole('button', { name: 'Discard draft' }).count()).to.equal(0)
    expect(await seriousFaults(other)).to.deep.equal([])
    await picture(other, 'draft-read')
  })
})
