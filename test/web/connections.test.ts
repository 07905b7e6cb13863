import { expect } from 'chai'
import type { Route } from 'playwright-core'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'
import { hasValue } from './support/has-value.ts'

describe('connections in the page', function () {
  this.timeout(60_000)
  const house = openPage()

  it('shows errors at their fields and focuses the first', async () => {
    const { page } = house
    await house.visit('/connections/new')
    await page.getByRole('link', { name: 'Endpoint security platform' }).click()
    await page.getByText('Grant admin consent').waitFor()
    await page.getByLabel('Tenant ID').fill('6f1d2c3b-4a59-4687-9b0c-1d2e3f405162')
    await page.getByLabel('Client Secret').first().fill('canary-canary')
    await page.getByRole('button', { name: 'Create connection' }).click()
    await page.getByText('Check the highlighted field').waitFor()
    await page.keyboard.insertText('11111111-2222-4333-8444-555555555555')
    expect(await page.getByLabel('Client ID').inputValue()).to.contain('11111111')
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'connection-wrong')
  })

  it('takes a reference in place of a secret, and back', async () => {
    const { page } = house
    await page.getByRole('button', { name: 'Use a reference' }).click()
    const field = page.getByPlaceholder('vault:intel#api_key')
    await field.fill('vault:endpoint')
    await page.getByRole('button', { name: 'Create connection' }).click()
    await page.getByText('is not a reference: use env:NAME').waitFor()
    await field.fill('env:CLIENT_SECRET')
    await page.getByRole('button', { name: 'Create connection' }).click()
    await page.getByText('cannot read the secret env:CLIENT_SECRET').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Store the secret' }).click()
    await page.getByLabel('Client Secret').first().fill('canary-canary')
  })

  it('tests a new connection and shows the error in one sentence', async () => {
    const { page } = house
    await page.getByText('More: Login URL').click()
    await page.getByRole('combobox', { name: 'Login URL' }).fill('https://10.1.2.3')
    await page.getByRole('button', { name: 'Create connection' }).click()
    await page.getByText('request to 10.1.2.3 refused: the address is not public').waitFor()
    await page.getByText('TOCSIN_ALLOW_PRIVATE_EGRESS').waitFor()
    expect(new URL(page.url()).search, 'not asked again when the page is loaded again').to.equal('')
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'connection-refused')
  })

  it('does not overwrite changes of someone else', async () => {
    const { page, server } = house
    const path = '/connections/endpoint-security'
    await page.getByLabel('Client ID').fill('22222222-2222-4333-8444-555555555555')
    // Responses may arrive before the page is notified.
    let hasConflict = false
    await page.route(/\/api\/connections\/[\da-f-]+$/, async (route) => {
      if (route.request().method() === 'PATCH' && !hasConflict) {
        hasConflict = true
        await server.call(path, { method: 'PATCH', body: { settings: { tenant_id: 'example.com' } } })
      }
      await route.continue()
    })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Someone else changed this connection').waitFor()
    await page.locator('input[value="example.com"]').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const { body } = await server.call(path)
    expect(body.settings).to.include({
      tenant_id: 'example.com',
      client_id: '22222222-2222-4333-8444-555555555555',
    })
  })

  it('continues with saved settings before reloading them', async () => {
    const { page } = house
    const held = Promise.withResolvers<undefined>()
    const reads = async (route: Route): Promise<void> => {
      if (route.request().method() === 'GET') await held.promise
      await route.continue()
    }
    await page.route(/\/api\/connections\/[\da-f-]+$/, reads)
    const tenant = page.getByLabel('Tenant ID')
    const save = async (): Promise<void> => {
      const answered = page.waitForResponse((response) => response.request().method() === 'PATCH')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      expect((await answered).status()).to.equal(200)
      await page.getByText('Saved', { exact: true }).waitFor()
    }
    await tenant.fill('saved.example')
    await save()
    await hasValue(tenant, 'saved.example')
    await tenant.fill('next.example')
    await save()
    await tenant.fill('typed.example')
    const read = page.waitForResponse((response) => response.request().method() === 'GET')
    held.resolve(undefined)
    await read
    await page.unroute(/\/api\/connections\/[\da-f-]+$/, reads)
    await hasValue(tenant, 'typed.example')
    expect(await page.getByRole('alert').count(), 'nobody else changed anything').to.equal(0)
    await save()
  })

  it('shows a conflict at an edited field and does not overwrite the other change', async () => {
    const { page, server } = house
    const path = '/connections/endpoint-security'
    const [mine, theirs] = ['3', '4'].map((n) => `${n.repeat(8)}-2222-4333-8444-555555555555`)
    const idNow = async () => (await server.call(path)).body.settings.client_id
    await page.getByLabel('Client ID').fill(mine!)
    await server.call(path, { method: 'PATCH', body: { settings: { client_id: theirs } } })
    const said = page.getByRole('alert').filter({ hasText: 'Someone else changed these fields' })
    await said.getByText(`now “${theirs}”`).waitFor()
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).to.equal(true)
    await page.getByLabel('Client ID').press('Enter')
    expect(await idNow()).to.equal(theirs)
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'connection-meanwhile')
    await said.getByRole('button', { name: 'Save mine' }).click()
    await said.waitFor({ state: 'detached' })
    expect(await idNow()).to.equal(mine)
  })

  it('does not test while settings are unsaved', async () => {
    const { page, server } = house
    const { body } = await server.call('/connections', {
      body: {
        organization_code: 'main',
        name: 'tried',
        plugin: 'http',
        settings: { base_url: 'https://a.example' },
      },
    })
    await house.visit(`/connections/${body.connection_uuid}`)
    const authenticate = page.getByRole('button', { name: 'Test connection' })
    const value = page.getByLabel('Header value').first()
    await value.fill('Bearer canary-canary')
    await page.getByText('Save the settings before you test them').waitFor()
    expect(await authenticate.isDisabled()).to.equal(true)
    await value.fill('')
    await page.getByText('Save the settings before you test them').waitFor({ state: 'detached' })
    expect(await authenticate.isDisabled()).to.equal(false)
  })
})
