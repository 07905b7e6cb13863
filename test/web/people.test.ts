import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { Secret, TOTP } from 'otpauth'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

const password = 'correct horse battery staple'

describe('people on the web page', function () {
  this.timeout(90_000)
  const house = openPage()

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const signInAs = async (page: Page, email: string): Promise<void> => {
    await button(page, 'Sign in').waitFor()
    if (await button(page, 'Use an account').isVisible()) await button(page, 'Use an account').click()
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').first().fill(password)
    await button(page, 'Sign in').click()
  }
  const look = async (page: Page, name: string): Promise<void> => {
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      expect(await seriousFaults(page), `${name}, ${scheme}`).to.deep.equal([])
      await picture(page, `${scheme}/${name}`)
    }
  }

  it('are invited, choose a password, set up one-time codes, and sign in with both', async () => {
    const { page } = house
    await house.visit('/people')
    await button(page, 'Invite person').click()
    await page.getByLabel('Name').fill('Anna Example')
    await page.getByLabel('E-mail address').fill('anna@example.com')
    await button(page, 'Create invitation').click()
    const url = await page.getByLabel('Invitation link').innerText()
    await button(page, 'Done').click()
    await page.getByText('Invited', { exact: true }).waitFor()
    await look(page, 'people')

    await page.context().clearCookies()
    await page.goto('about:blank')
    await page.goto(url.trim())
    await page.getByText('Welcome, Anna Example.').waitFor()
    await look(page, 'invitation')
    await page.getByLabel('Password').nth(0).fill(password)
    await page.getByLabel('Password again').fill(`${password}r`)
    await page.getByText('The passwords differ').waitFor()
    await page.getByLabel('Password again').fill(password)
    await button(page, 'Set password and sign in').click()
    await page.getByRole('button', { name: 'Signed in as Anna Example' }).click()
    await page.getByRole('menuitem', { name: 'My account' }).click()
    await page.getByRole('heading', { level: 1, name: 'Anna Example' }).waitFor()

    await button(page, 'Set up one-time codes').click()
    const qr = page.getByRole('img', { name: 'QR code' })
    await qr.waitFor()
    const secret = await page
      .locator('code')
      .filter({ hasText: /^[A-Z2-7]{32}$/ })
      .innerText()
    await look(page, 'one-time-codes')
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    await page.getByRole('textbox', { name: 'Code' }).fill(totp.generate())
    await button(page, 'Confirm').click()
    const codes = (await page.getByLabel('Recovery codes').innerText()).trim().split('\n')
    expect(codes).to.have.length(10)

    await page.getByRole('button', { name: 'Signed in as Anna Example' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await signInAs(page, 'anna@example.com')
    await page.getByLabel('One-time code').fill('000000')
    await button(page, 'Sign in').click()
    await page.getByRole('alert').waitFor()
    await look(page, 'sign-in-code')
    await page.getByLabel('One-time code').fill(codes[0] ?? '')
    await button(page, 'Sign in').click()
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
  })

  it('are refused with a clear message when a link was used', async () => {
    const { page } = house
    await page.goto(`${house.server.url}/invitation#${'x'.repeat(43)}`)
    await page.reload()
    await page.getByRole('alert').getByText('What to do: ask an administrator').waitFor()
    await button(page, 'Go to the sign-in').click()
  })

  it('sign in with the keyboard alone, and are told of a wrong password', async () => {
    const { page, server } = house
    const { body } = await server.call('/accounts', {
      body: { email: 'kay@example.com', name: 'Kay', roles: [{ role: 'reader' }] },
    })
    await page.context().clearCookies()
    await page.goto('about:blank')
    await page.goto(body.invitation_url as string)
    await page.getByText('Welcome, Kay.').waitFor()
    await page.getByLabel('Password').first().focus()
    await page.keyboard.type(password)
    await page.getByLabel('Password again').focus()
    await page.keyboard.type(`${password}\n`)
    await page.getByRole('button', { name: 'Signed in as Kay' }).waitFor()
    await page.context().clearCookies()
    await house.visit('/')
    await button(page, 'Sign in').waitFor()
    if (await button(page, 'Use an account').isVisible()) {
      await button(page, 'Use an account').focus()
      await page.keyboard.press('Enter')
    }
    await page.getByLabel('E-mail address').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('kay@example.com')
    await page.keyboard.press('Tab')
    await page.keyboard.type('wrong horse battery\n')
    await page.getByRole('alert').waitFor()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(`${password}\n`)
    await page.getByRole('button', { name: 'Signed in as Kay' }).waitFor()
  })
})
