import { expect } from 'chai'
import { picture, seriousFaults } from './support/browser.ts'
import { publish } from './support/publish.ts'
import { openSignedIn, type SignedIn } from './support/signed-in.ts'
import { hasValue } from './support/has-value.ts'

const source = (name: string, organization?: string) =>
  `apiVersion: tocsin/v1\nname: ${name}\n${organization === undefined ? '' : `organization: ${organization}\n`}on: { manual: true }\nsteps: [{ return: 1 }]\n`

describe('playbooks of organizations in the page', function () {
  this.timeout(60_000)
  let opened: SignedIn
  let acme: string

  before(async function () {
    this.timeout(180_000)
    const found = await openSignedIn({ common: source('common'), 'main-own': source('main-own', 'main') })
    if (found === undefined) return this.skip()
    opened = found
    const { server } = opened
    await server.call('/organizations', { body: { code: 'acme', name: 'Acme' } })
    const body = { name: 'acme', role: 'admin', organization_codes: ['acme'] }
    acme = (await server.call('/keys', { body })).body.key
    const put = { method: 'PUT', body: { source: source('acme-own', 'acme') } }
    expect((await server.call('/playbooks/acme-own', put)).status).to.equal(200)
  })
  after(() => opened?.close())
  afterEach(() => expect(opened.alarms).to.deep.equal([]))

  it('are listed with their organization, and by organization', async () => {
    await opened.signInAs(opened.server.adminKey)
    const page = await opened.visit('/playbooks')
    await page.getByText('Authored (acme)').waitFor()
    await page.getByText('Authored (main)').waitFor()
    await page.getByRole('combobox', { name: 'Organization' }).click()
    await page.getByRole('option', { name: 'acme' }).click()
    await page.getByText('main-own').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'common' }).waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'playbooks-of-organization')
  })

  it('are created for an organization or for all, as chosen, with what was typed', async () => {
    await opened.signInAs(opened.server.adminKey)
    const page = await opened.visit('/playbooks/new')
    const choose = async (option: string) => {
      await page.getByRole('combobox', { name: 'Belongs to' }).click()
      await page.getByRole('option', { name: option }).click()
    }
    const editor = page.getByLabel('Playbook source')
    await choose('acme')
    await editor.getByText('organization: acme').waitFor()
    await editor.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.insertText('# typed\n')
    await choose('All organizations (shared)')
    await editor.getByText('organization: acme').waitFor({ state: 'detached' })
    await editor.getByText('# typed').waitFor()
    await choose('main')
    await editor.getByText('organization: main').waitFor()
    await hasValue(page.getByRole('combobox', { name: 'Belongs to' }), 'main')
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'new-playbook-of-organization')
    await page.getByText('No problems').waitFor()
    await publish(page)
    await page.getByText('Organization main').waitFor()
    const { body } = await opened.server.call('/playbooks/my-playbook')
    expect(body.organization_code).to.equal('main')
    expect(body.source).to.include('# typed')
  })

  it('can be edited by people of the organization, unlike shared ones', async () => {
    await opened.signInAs(acme)
    let page = await opened.visit('/playbooks/common')
    await page.getByText('Live').first().waitFor()
    expect(await page.getByRole('button', { name: 'Publish' }).count()).to.equal(0)
    await page.getByText('All organizations share this playbook').waitFor()
    page = await opened.visit('/playbooks/acme-own')
    await page.getByText('Organization acme').waitFor()
    await page.getByLabel('Playbook source').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.insertText('# ours\n')
    await publish(page)
    await page.getByText('Published acme-own').waitFor()
    expect((await opened.server.call('/playbooks/acme-own')).body.source).to.include('# ours')
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'playbook-of-organization')
    // Nothing to choose: what they create belongs to their organization.
    page = await opened.visit('/playbooks/new')
    await page.getByLabel('Playbook source').getByText('organization: acme').waitFor()
    expect(await page.getByRole('combobox', { name: 'Belongs to' }).count()).to.equal(0)
  })

  it('look missing to people of others', async () => {
    await opened.signInAs(acme)
    const page = await opened.visit('/playbooks/main-own')
    await page.getByText('Playbook not found').waitFor()
  })

  it('are dry-run in their organization', async () => {
    await opened.signInAs(opened.server.adminKey)
    const page = await opened.visit('/playbooks/acme-own')
    await page.getByRole('button', { name: 'Dry run' }).and(page.locator(':enabled')).click()
    const chosen = page.getByRole('dialog').getByRole('combobox', { name: 'Organization' })
    await chosen.and(page.locator('[value=acme]')).waitFor()
  })

  it('run in their organization, without a choice', async () => {
    await opened.signInAs(opened.server.adminKey)
    const page = await opened.visit('/playbooks/acme-own')
    await page.getByRole('button', { name: 'Run manually' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Run' }).and(page.locator(':enabled')).click()
    await page.waitForURL(/\/runs\//)
    const { body } = await opened.server.call('/runs?playbook=acme-own')
    expect(body.data[0].organization_code).to.equal('acme')
  })
})
