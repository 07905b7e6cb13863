import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { minutesText, readMinutes } from '../../server/web/directory/target-times.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'
import { hasValue } from './support/has-value.ts'

const password = 'correct horse battery staple'

describe('keys, roles and target times on the web page', function () {
  this.timeout(90_000)
  const house = openPage()

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const choose = async (page: Page, field: string, option: string | RegExp): Promise<void> => {
    await page.getByRole('dialog').getByLabel(field, { exact: true }).first().click()
    await page.getByRole('option', { name: option }).first().click()
  }
  const manage = async (page: Page, key: string, item: string): Promise<void> => {
    await button(page, `Manage ${key}`).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  const look = async (page: Page, name: string): Promise<void> => {
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      expect(await seriousFaults(page), `${name}, ${scheme}`).to.deep.equal([])
      for (const width of [375, 768, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        await picture(page, `${scheme}/${name}-${width}`)
      }
      await page.setViewportSize({ width: 1280, height: 860 })
    }
  }
  const keyNamed = async (name: string) => {
    const { body } = await house.server.call('/keys')
    return body.data.find((key: { readonly name: string }) => key.name === name)
  }

  before(async () => {
    const { server } = house
    const roles = [{ role: 'analyst' }]
    const { body } = await server.call('/accounts', {
      body: { email: 'bo@example.com', name: 'Bo', roles },
    })
    const token = String(body.invitation_url).split('#')[1]
    await server.call('/invitation/accept', { key: '', body: { token, password } })
  })

  it('give a key an end, an owner and addresses, and rotate it with a later end', async () => {
    const { page } = house
    await house.visit('/keys')
    await button(page, 'New key').click()
    await page.getByLabel('Name').fill('scripts of Bo')
    await choose(page, 'Role', /^analyst/)
    await choose(page, 'Ends', 'In 30 days')
    await choose(page, 'Owner', /^Bo/)
    await page.getByRole('combobox', { name: 'Allowed addresses' }).fill('127.0.0.0/8')
    await look(page, 'key-new')
    await button(page, 'Create key').click()
    await page.getByText('It ends on').waitFor()
    await button(page, 'Done').click()
    const row = page.getByRole('row', { name: 'scripts of Bo' })
    await row.getByText('not accepted').waitFor()
    const before = await keyNamed('scripts of Bo')
    expect(before).to.deep.include({ owner_name: 'Bo', allowed_addresses: ['127.0.0.0/8'] })

    await manage(page, 'scripts of Bo', 'Rotate')
    await choose(page, 'The current secret ends', 'After an hour')
    await choose(page, 'The key ends', 'In a year')
    await button(page, 'Rotate key').click()
    const value = (await page.getByRole('dialog').locator('pre').innerText()).trim()
    expect((await house.server.call('/organizations', { key: value })).status).to.equal(200)
    await button(page, 'Done').click()
    const after = await keyNamed('scripts of Bo')
    expect(after.expires_at).to.be.above(before.expires_at as number)

    await manage(page, 'scripts of Bo', 'Owner and addresses')
    await page.getByRole('combobox', { name: 'Allowed addresses' }).fill('here')
    await button(page, 'Save').click()
    await page.getByRole('alert').getByText('must be an IP address or a range').waitFor()
    await page.keyboard.press('Escape')
    await look(page, 'keys')
  })

  it('show which keys end soon, and list only these', async () => {
    const { page, server } = house
    const body = { name: 'soon', role: 'reader', expires_at: Date.now() + 3 * 86_400_000 }
    await server.call('/keys', { body })
    await house.visit('/keys')
    await page.getByRole('row', { name: 'soon' }).getByText('Ends soon').waitFor()
    await page.getByRole('link', { name: 'One key ends within 14 days' }).click()
    await page.getByRole('row', { name: 'scripts of Bo' }).waitFor({ state: 'detached' })
    await page.getByRole('row', { name: 'soon' }).waitFor()
  })

  it('create a custom role, offer it to people, and do not delete it while somebody has it', async () => {
    const { page, server } = house
    await house.visit('/people')
    await page.getByText('Roles', { exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Roles' }).waitFor()
    await button(page, 'New role').click()
    await page.getByLabel('Name').fill('case_desk')
    await page.getByLabel('Description').fill('Works on cases')
    await page.getByRole('group', { name: 'cases' }).getByLabel('read').check()
    await page.getByRole('group', { name: 'cases' }).getByLabel('write').check()
    await look(page, 'role-new')
    await button(page, 'Create role').click()
    await page.getByRole('row', { name: 'case_desk' }).getByText('cases:read · cases:write').waitFor()
    await look(page, 'roles')

    await house.visit('/people')
    await button(page, 'Invite person').click()
    await page.getByLabel('Name').fill('Cleo')
    await page.getByLabel('E-mail address').fill('cleo@example.com')
    await choose(page, 'Role', /^case_desk/)
    await look(page, 'person-new')
    await button(page, 'Create invitation').click()
    await button(page, 'Done').click()
    await page.getByRole('row', { name: 'Cleo' }).getByText('case_desk (all)').waitFor()
    await button(page, 'Manage Bo').click()
    await page.getByRole('menuitem', { name: 'Change roles' }).click()
    await choose(page, 'Role', /^responder/)
    await button(page, 'Save roles').click()
    await page.getByRole('row', { name: 'Bo' }).getByText('responder (all)').waitFor()

    await house.visit('/people/roles')
    await button(page, 'Delete case_desk').click()
    await page.getByText('First give other roles to Cleo.').waitFor()
    expect(await button(page, 'Delete').isDisabled()).to.equal(true)
    await button(page, 'Back').click()
    await button(page, 'Change case_desk').click()
    await server.call('/roles/case_desk', {
      method: 'PATCH',
      body: { description: 'Changed meanwhile' },
      headers: { 'if-match': '*' },
    })
    await page.getByRole('group', { name: 'cases' }).getByLabel('write').uncheck()
    await button(page, 'Save role').click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    const { body } = await server.call('/roles')
    expect(
      body.data.find((role: { readonly name: string }) => role.name === 'case_desk').permissions,
    ).to.include('cases:write')
  })

  it('set target times with the keyboard alone, and show a wrong one at its field', async () => {
    const { page, server } = house
    await house.visit('/organizations')
    await button(page, 'Targets of main').focus()
    await page.keyboard.press('Enter')
    const field = (name: string) => page.getByRole('textbox', { name, exact: true })
    await field('critical: first response').focus()
    await page.keyboard.type('4 hours')
    await page.getByText('Write it like 15m, 4h or 2d').waitFor()
    expect(await button(page, 'Save target times').isDisabled()).to.equal(true)
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('4h')
    await page.keyboard.press('Tab')
    await page.keyboard.type('1h')
    await page.keyboard.press('Enter')
    await page.getByText('is longer than the time until closing').waitFor()
    await look(page, 'targets')
    await field('critical: closing').fill('2d')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const { body } = await server.call('/organizations/main/case-targets')
    expect(body.targets[0]).to.include({
      severity: 'critical',
      respond_minutes: 240,
      resolve_minutes: 2_880,
    })
    await button(page, 'Targets of main').click()
    await page.getByRole('dialog').waitFor()
    await hasValue(field('critical: first response'), '4h')
    await page.keyboard.press('Escape')
  })

  it('accept a key that somebody else created, which then has a secret of its owner alone', async () => {
    const { page, server } = house
    await server.call('/accounts/bo@example.com', {
      method: 'PATCH',
      body: { roles: [{ role: 'analyst' }] },
      headers: { 'if-match': '*' },
    })
    await page.context().clearCookies()
    await house.visit('/')
    await button(page, 'Sign in').waitFor()
    if (await button(page, 'Use an account').isVisible()) await button(page, 'Use an account').click()
    await page.getByLabel('E-mail address').fill('bo@example.com')
    await page.getByLabel('Password').first().fill(password)
    await button(page, 'Sign in').click()
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
    await house.visit('/me')
    await button(page, 'Accept key scripts of Bo').click()
    await look(page, 'key-accepted')
    await page.getByRole('dialog').getByRole('button', { name: 'Accept key' }).click()
    const value = (await page.getByRole('dialog').locator('pre').innerText()).trim()
    await button(page, 'Done').click()
    await page.getByText('only yours').waitFor()
    expect((await server.call('/organizations', { key: value })).status).to.equal(200)
    expect(await keyNamed('scripts of Bo')).to.include({ owner_accepted: true })
  })
})

describe('target times as text', () => {
  it('are read and written in the same words', () => {
    for (const [text, minutes] of [
      ['', null],
      ['15m', 15],
      ['1h30m', 90],
      ['4h', 240],
      ['2d', 2_880],
    ] as const) {
      expect(readMinutes(text), text).to.equal(minutes)
      expect(minutesText(minutes)).to.equal(text)
    }
  })

  it('are at least a minute, at most a year, and whole minutes', () => {
    for (const wrong of ['0m', '30s', '-1h', '4 hours', '366d', 'soon', '1.5m'])
      expect(readMinutes(wrong), wrong).to.equal(undefined)
  })
})
