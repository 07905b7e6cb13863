import { expect } from 'chai'
import { picture, seriousFaults } from './support/browser.ts'
import { openSignedIn, type SignedIn } from './support/signed-in.ts'

describe('organizations, providers and tokens in the page', function () {
  this.timeout(60_000)
  let opened: SignedIn

  before(async function () {
    this.timeout(180_000)
    const found = await openSignedIn({})
    if (found === undefined) return this.skip()
    opened = found
  })
  after(() => opened?.close())
  afterEach(() => expect(opened.alarms).to.deep.equal([]))

  const nameOf = async (path: string): Promise<string> => (await opened.server.call(path)).body.name

  it('creates an organization and shows an invalid code at its field', async () => {
    const page = await opened.visit('/organizations')
    await page.getByRole('row', { name: 'main' }).waitFor()
    await page.getByRole('button', { name: 'New organization' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Code').fill('in itech')
    await dialog.getByLabel('Name').fill('Initech')
    await dialog.getByRole('button', { name: 'Create organization' }).click()
    await dialog.getByText('Check the highlighted field').waitFor()
    expect(await dialog.getByLabel('Code').getAttribute('aria-invalid')).to.equal('true')
    await dialog.getByLabel('Code').fill('initech')
    await dialog.getByRole('button', { name: 'Create organization' }).click()
    await page.getByRole('row', { name: 'initech' }).getByText('Initech', { exact: true }).waitFor()
    expect(await nameOf('/organizations/initech')).to.equal('Initech')
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'organizations-made')
    await page.getByRole('row', { name: 'initech' }).getByRole('link', { name: 'initech' }).click()
    await page.waitForURL('**/alerts?organization=initech')
  })

  it('renames one, unless someone else did meanwhile', async () => {
    const page = await opened.visit('/organizations')
    const row = page.getByRole('row', { name: 'initech' })
    const rename = async (name: string): Promise<void> => {
      await row.getByRole('button', { name: 'Rename' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill(name)
    }
    const send = () => page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await rename('Initech Ltd')
    await send()
    await row.getByText('Initech Ltd').waitFor()
    await rename('Mine')
    await opened.server.call('/organizations/initech', {
      method: 'PATCH',
      body: { name: 'Theirs' },
      headers: { 'if-match': '*' },
    })
    await row.getByText('Theirs').waitFor()
    await send()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    expect(await nameOf('/organizations/initech')).to.equal('Theirs')
  })

  it('creates a provider', async () => {
    const page = await opened.visit('/providers')
    await page.getByRole('button', { name: 'New provider' }).click()
    await page.getByLabel('Code').fill('mail_gateway')
    await page.getByRole('textbox', { name: 'Name' }).fill('Mail gateway')
    await page.getByRole('button', { name: 'Create provider' }).click()
    await page.getByRole('row', { name: 'mail_gateway' }).waitFor()
    expect(await nameOf('/providers/mail_gateway')).to.equal('Mail gateway')
    await picture(page, 'providers')
  })

  it('rotates the token of a connection after a confirmation and shows the new manifest', async () => {
    const { server } = opened
    await server.call('/connections', {
      body: {
        organization_code: 'main',
        name: 'chat',
        plugin: 'messaging',
        settings: { channel_name: '#security' },
      },
    })
    const tokenIn = (text: string): string => /token=([\w-]+)/.exec(text)?.[1] ?? ''
    const before = tokenIn(JSON.stringify((await server.call('/connections/chat/manifest')).body))
    expect(before).to.not.equal('')
    const { body } = await server.call('/connections/chat')
    const page = await opened.visit(`/connections/${body.connection_uuid}`)
    await page.getByRole('button', { name: 'Show manifest' }).click()
    const shown = page.getByRole('region', { name: 'Manifest', exact: true }).locator('pre')
    await shown.getByText(before).waitFor()
    await page.getByRole('button', { name: 'Rotate token' }).click()
    await page.getByText('stop working immediately').waitFor()
    await page.getByRole('button', { name: 'Rotate', exact: true }).click()
    await page.getByText('Token rotated').waitFor()
    const after = tokenIn(JSON.stringify((await server.call('/connections/chat/manifest')).body))
    expect(after).to.not.equal(before)
    await shown.getByText(after).waitFor()
    expect(await shown.innerText()).to.not.include(before)
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'connection-token')
  })

  it('offers permitted actions to admins of some organizations', async () => {
    const { body } = await opened.server.call('/keys', {
      body: { name: 'of initech', role: 'admin', organization_codes: ['initech'] },
    })
    await opened.signInAs(body.key)
    const organizations = await opened.visit('/organizations')
    await organizations.getByRole('button', { name: 'Rename' }).waitFor()
    expect(await organizations.getByRole('row').count()).to.equal(2)
    expect(await organizations.getByRole('button', { name: 'New organization' }).count()).to.equal(0)
    await organizations.getByRole('button', { name: 'Search or jump to' }).click()
    await organizations.getByText('New connection').waitFor()
    await organizations.getByText('New playbook').waitFor()
    const keys = await opened.visit('/keys?new=yes')
    await keys.getByText('Leave blank for all of yours.').waitFor()
    await keys.getByLabel('Name').fill('reads theirs')
    await keys.getByRole('button', { name: 'Create key' }).click()
    await keys.getByRole('button', { name: 'Done' }).click()
    await keys.getByRole('row', { name: 'reads theirs' }).getByText('initech', { exact: true }).waitFor()
    const providers = await opened.visit('/providers')
    await providers.getByRole('row', { name: 'mail_gateway' }).waitFor()
    expect(await providers.getByRole('button', { name: 'Rename' }).count()).to.equal(0)
    expect(await providers.getByRole('button', { name: 'New provider' }).count()).to.equal(0)
  })
})
