import { expect } from 'chai'
import { picture, seriousFaults } from './support/browser.ts'
import { publish } from './support/publish.ts'
import { openSignedIn, type SignedIn } from './support/signed-in.ts'

const source = (summary: string) => `apiVersion: tocsin/v1
name: changing
on: { manual: true }
steps:
  - id: first
    set: { n: 1 }
  - if: steps.first.output.n == 1
    fail: ${summary}
`

describe('versions of a playbook in the page', function () {
  this.timeout(60_000)
  let opened: SignedIn

  before(async function () {
    this.timeout(180_000)
    const found = await openSignedIn({ changing: source('As it was') })
    if (found === undefined) return this.skip()
    opened = found
  })
  after(() => opened?.close())
  afterEach(() => expect(opened.alarms).to.deep.equal([]))

  const put = (text: string) =>
    opened.server.call('/playbooks/changing', {
      method: 'PUT',
      body: { source: text },
      headers: { 'if-match': '*' },
    })

  it('shows who published them, compares them, and restores one as a draft', async () => {
    await put(source('As it is now'))
    const page = await opened.visit('/playbooks/changing')
    const rows = page.getByRole('table', { name: 'Versions' }).getByRole('row')
    const old = rows.filter({ hasText: 'playbooks folder' })
    await old.getByRole('button', { name: 'Compare' }).click()
    await page.locator('.cm-mergeView .cm-changedLine', { hasText: 'As it was' }).first().waitFor()
    await page.getByText('Unified').click()
    await page.locator('.cm-deletedChunk', { hasText: 'As it was' }).waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'versions')
    await old.getByRole('button', { name: 'Roll back' }).click()
    await page.getByRole('link', { name: 'Edit it first' }).click()
    await page.getByText('restored in the editor').waitFor()
    await page.locator('.cm-line', { hasText: 'As it was' }).first().waitFor()
    await publish(page)
    await page.getByText('Published changing').waitFor()
    const { body } = await opened.server.call('/playbooks/changing')
    expect(body).to.include({ source: source('As it was'), in_force: true })
    await page.getByText('restored in the editor').waitFor({ state: 'detached' })
  })

  it('rolls back to one with a reason, after showing the difference', async () => {
    await put(source('As it is now'))
    const page = await opened.visit('/playbooks/changing')
    const rows = page.getByRole('table', { name: 'Versions' }).getByRole('row')
    await rows.getByRole('button', { name: 'Roll back' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('.cm-changedLine, .cm-deletedChunk', { hasText: 'As it is now' }).first().waitFor()
    const confirm = dialog.getByRole('button', { name: 'Roll back' })
    expect(await confirm.isDisabled()).to.equal(true)
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'roll-back')
    await dialog.getByLabel('Reason').fill('it missed a mail')
    await confirm.and(page.locator(':enabled')).click()
    await page.getByText('Rolled back changing to').waitFor()
    await dialog.waitFor({ state: 'detached' })
    const { body } = await opened.server.call('/playbooks/changing')
    expect(body).to.include({ source: source('As it was'), put_in_force_reason: 'it missed a mail' })
    await rows.filter({ hasText: 'it missed a mail' }).getByText('Live').waitFor()
    await page.locator('.cm-line', { hasText: 'As it was' }).first().waitFor()
  })

  it('replaces unsaved changes only after a confirmation', async () => {
    const page = await opened.visit('/playbooks/changing')
    await page.getByText('No problems').waitFor()
    await page.locator('.cm-line').first().click()
    await page.keyboard.insertText('# my long work ')
    const restore = {
      async click() {
        await page.getByRole('button', { name: 'Roll back' }).first().click()
        await page.getByRole('link', { name: 'Edit it first' }).click()
      },
    }
    const mine = page.locator('.cm-line', { hasText: '# my long work' })
    const dialog = page.getByRole('dialog')
    await restore.click()
    await dialog.getByRole('button', { name: 'Keep my changes' }).click()
    await dialog.waitFor({ state: 'detached' })
    await mine.waitFor()
    await restore.click()
    await dialog.getByText('Your unsaved changes will be replaced').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'restore-over-draft')
    await dialog.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('restored in the editor').waitFor()
    await mine.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Runs' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    await page.goBack()
    await page.getByText('Unsaved draft restored').waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
  })

  it('are all reachable over several pages', async () => {
    const page = await opened.visit('/playbooks')
    await page.route(/\/versions\?/, (route) =>
      route.continue({ url: route.request().url().replace('limit=200', 'limit=1') }),
    )
    await page.goto(`${new URL(page.url()).origin}/playbooks/changing`)
    const rows = page.getByRole('table', { name: 'Versions' }).locator('tbody').getByRole('row')
    await page.getByText('1 more').waitFor()
    expect(await rows.count()).to.equal(1)
    await page.getByRole('button', { name: 'Show more' }).click()
    await rows.nth(1).waitFor()
    expect(await page.getByRole('button', { name: 'Show more' }).count()).to.equal(0)
    await page.unroute(/\/versions\?/)
  })

  it('opens the version of a run at the line of its error', async () => {
    const { body: run } = await opened.server.call('/playbooks/changing/runs', {
      body: { organization_code: 'main' },
      headers: { prefer: 'wait=10' },
    })
    await put(`# one more line\n${source('Something else')}`)
    const page = await opened.visit(`/runs/${run.run_uuid}`)
    await page
      .getByRole('link', { name: /line of the playbook|line 7/ })
      .first()
      .click()
    await page.getByText('Earlier version').waitFor()
    await page.locator('.cm-activeLine', { hasText: 'if: steps.first.output.n == 1' }).waitFor()
    await page.locator('.cm-line', { hasText: 'As it was' }).waitFor()
    expect(new URL(page.url()).search).to.equal('?line=7')
    expect(await page.getByRole('button', { name: 'Publish' }).count()).to.equal(0)
  })
})
